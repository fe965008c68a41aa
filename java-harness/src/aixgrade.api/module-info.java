/** What a dataset's tests are written against. It holds interfaces only: the harness implements them. */
module aixgrade.api {
    exports aixgrade.api;
}
