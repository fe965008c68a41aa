public void closeAll(List<? extends AutoCloseable> resources) throws Exception {
    Exception first = null;
    for (int i = resources.size() - 1; i >= 0; i--) {
        try (AutoCloseable resource = resources.get(i)) {
            // try-with-resources skips null
        } catch (Exception failure) {
            if (first == null) {
                first = failure;
            } else {
                first.addSuppressed(failure);
            }
        }
    }
    if (first != null) {
        throw first;
    }
}
