@SuppressWarnings("unchecked")
public Map<String, Object> mergeSettings(Map<String, Object> defaults, Map<String, Object> overrides) {
    Map<String, Object> merged = new LinkedHashMap<>();
    defaults.forEach((key, value) -> merged.put(key,
            value instanceof Map ? mergeSettings((Map<String, Object>) value, Map.of()) : value));
    overrides.forEach((key, value) -> {
        if (value == null) {
            merged.remove(key);
        } else if (value instanceof Map) {
            Object below = defaults.get(key) instanceof Map ? defaults.get(key) : Map.of();
            merged.put(key, mergeSettings((Map<String, Object>) below, (Map<String, Object>) value));
        } else {
            merged.put(key, value);
        }
    });
    return merged;
}
