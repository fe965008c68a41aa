/**
 * Adds the harness to every JVM of the run image without options.
 *
 * <p>By default Java resolves modules that export a package, and their dependencies. The harness exports
 * nothing and should not; naming it on the command line ({@code -m}) would make Java resolve all its
 * modules again at every start, which takes longer than a small program runs.
 */
module aixgrade.root {
    requires aixgrade.harness;
    exports aixgrade.root;
}
