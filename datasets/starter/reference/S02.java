public <T> List<List<T>> splitIntoBatches(List<T> list, int size) {
    if (size < 1) {
        throw new IllegalArgumentException("size must be at least 1, not " + size);
    }
    List<List<T>> batches = new ArrayList<>();
    if (list == null) {
        return batches;
    }
    for (T item : list) {
        if (batches.isEmpty() || batches.get(batches.size() - 1).size() == size) {
            batches.add(new ArrayList<>());
        }
        batches.get(batches.size() - 1).add(item);
    }
    return batches;
}
