/**
 * Communication between the Java side and the server: frames on one inherited descriptor. See
 * docs/harness-protocol.md.
 */
module aixgrade.wire {
    exports aixgrade.wire to aixgrade.harness, aixgrade.compiler;
}
