/** A compiler that keeps running between outputs. */
module aixgrade.compiler {
    requires aixgrade.wire;
    requires java.compiler;
    requires jdk.compiler;
}
