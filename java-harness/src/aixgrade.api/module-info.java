/** The API for a dataset's tests. It contains only interfaces, which the harness implements. */
module aixgrade.api {
    exports aixgrade.api;
}
