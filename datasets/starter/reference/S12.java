public <K, V> V getOrLoad(Map<K, V> cache, K key, Function<K, V> loader, int maxEntries) {
    V cached = cache.get(key);
    if (cached != null) {
        return cached;
    }
    V loaded = loader.apply(key);
    if (loaded == null) {
        return null;
    }
    if (!cache.containsKey(key) && cache.size() >= maxEntries) {
        Iterator<K> keys = cache.keySet().iterator();
        keys.next();
        keys.remove();
    }
    cache.put(key, loaded);
    return loaded;
}
