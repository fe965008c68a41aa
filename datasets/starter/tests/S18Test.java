package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class S18Test {
    public interface Solution {
        Map<String, Object> mergeSettings(Map<String, Object> defaults, Map<String, Object> overrides) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("overrides win", Map.of("port", 9090, "host", "local", "debug", true),
                s -> s.mergeSettings(Map.of("port", 80, "host", "local"), Map.of("port", 9090, "debug", true)));
        cases.equal("maps are merged at any depth",
                Map.of("db", Map.of("pool", Map.of("min", 1, "max", 50), "url", "jdbc:x")),
                s -> s.mergeSettings(
                        Map.of("db", Map.of("pool", Map.of("min", 1, "max", 10), "url", "jdbc:x")),
                        Map.of("db", Map.of("pool", Map.of("max", 50)))));
        cases.equal("lists are replaced", Map.of("tags", List.of("c")),
                s -> s.mergeSettings(Map.of("tags", List.of("a", "b")), Map.of("tags", List.of("c"))));
        cases.equal("a map takes the place of a value, and the other way round", Map.of("a", Map.of("x", 1), "b", 2),
                s -> s.mergeSettings(Map.of("a", 1, "b", Map.of("y", 2)), Map.of("a", Map.of("x", 1), "b", 2)));
        cases.equal("null removes", Map.of("keep", 1, "sub", Map.of("keep", 2)), s -> {
            Map<String, Object> sub = new HashMap<>();
            sub.put("gone", null);
            Map<String, Object> overrides = new HashMap<>();
            overrides.put("gone", null);
            overrides.put("sub", sub);
            return s.mergeSettings(Map.of("keep", 1, "gone", 1, "sub", Map.of("keep", 2, "gone", 2)), overrides);
        });
        cases.equal("defaults stay as they are", Map.of("sub", Map.of("a", 1)), s -> {
            Map<String, Object> defaults = settings("sub", settings("a", 1));
            s.mergeSettings(defaults, settings("sub", settings("b", 2)));
            return defaults;
        });
        cases.equal("so they do when the result changes",
                List.of(Map.of("d", Map.of("a", 1)), Map.of("o", Map.of("b", 2))), s -> {
            Map<String, Object> defaults = settings("d", settings("a", 1));
            Map<String, Object> overrides = settings("o", settings("b", 2));
            Map<String, Object> merged = s.mergeSettings(defaults, overrides);
            nested(merged, "d").put("a", 99);
            nested(merged, "o").clear();
            return List.of(defaults, overrides);
        });
    }

    private static Map<String, Object> settings(String key, Object value) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(key, value);
        return settings;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> nested(Map<String, Object> settings, String key) {
        return (Map<String, Object>) settings.get(key);
    }
}
