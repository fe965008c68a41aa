/**
 * Brings the harness into every JVM of the run image without being asked for.
 *
 * <p>Java resolves by default what exports something, and what that requires. The harness exports
 * nothing and should not; naming it on the command line ({@code -m}) would make Java work out all its
 * modules anew at every start, which takes longer than a small program runs.
 */
module aixgrade.root {
    requires aixgrade.harness;
    exports aixgrade.root;
}
