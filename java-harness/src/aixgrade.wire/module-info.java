/** How the Java side talks with the server: frames on one inherited descriptor. See docs/harness-protocol.md. */
module aixgrade.wire {
    exports aixgrade.wire to aixgrade.harness, aixgrade.compiler;
}
