public <T, K> List<T> latestByKey(List<T> items, Function<? super T, ? extends K> keyOf) {
    Map<K, T> latest = new LinkedHashMap<>();
    for (T item : items) {
        K key = keyOf.apply(item);
        if (key != null) {
            latest.put(key, item);
        }
    }
    return new ArrayList<>(latest.values());
}
