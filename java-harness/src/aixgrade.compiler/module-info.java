/** A compiler that stays warm between outputs. */
module aixgrade.compiler {
    requires aixgrade.wire;
    requires java.compiler;
    requires jdk.compiler;
}
