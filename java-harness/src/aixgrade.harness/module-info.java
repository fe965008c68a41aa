/** Runs one output's tests in one fresh JVM. It exports and opens nothing: a solution cannot reach into it. */
module aixgrade.harness {
    requires aixgrade.api;
    requires aixgrade.wire;
}
