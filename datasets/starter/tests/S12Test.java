package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

public final class S12Test {
    public interface Solution {
        <K, V> V getOrLoad(Map<K, V> cache, K key, Function<K, V> loader, int maxEntries) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("a hit does not ask the loader", List.of("A", 0), s -> {
            AtomicInteger calls = new AtomicInteger();
            return List.of(s.getOrLoad(cache("a", "A"), "a", k -> "loaded " + calls.incrementAndGet(), 5), calls.get());
        });
        cases.equal("a miss asks it once", List.of("loaded", 1), s -> {
            AtomicInteger calls = new AtomicInteger();
            return List.of(s.getOrLoad(cache(), "a", k -> {
                calls.incrementAndGet();
                return "loaded";
            }, 5), calls.get());
        });
        cases.equal("the answer is remembered", Map.of("a", "A", "b", "b!"),
                s -> after(s, cache("a", "A"), "b", "b!", 5));
        cases.equal("a full cache loses its first entry", Map.of("b", "B", "c", "c!"),
                s -> after(s, cache("a", "A", "b", "B"), "c", "c!", 2));
        cases.equal("a hit in a full cache loses nothing", Map.of("a", "A", "b", "B"),
                s -> after(s, cache("a", "A", "b", "B"), "b", "other", 2));
        cases.equal("null counts as missing", Map.of("a", "a!"), s -> after(s, cache("a", null), "a", "a!", 5));
        cases.check("null from the loader is returned and not remembered", s -> {
            Map<String, String> cache = cache("a", "A");
            return s.getOrLoad(cache, "b", k -> null, 5) == null && cache.equals(Map.of("a", "A"));
        });
        cases.equal("null from the loader throws nothing out", Map.of("a", "A", "b", "B"),
                s -> after(s, cache("a", "A", "b", "B"), "c", null, 2));
    }

    private static Map<String, String> after(Solution s, Map<String, String> cache, String key, String answer, int max)
            throws Exception {
        s.getOrLoad(cache, key, k -> answer, max);
        return cache;
    }

    private static Map<String, String> cache(String... keysAndValues) {
        Map<String, String> cache = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            cache.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return cache;
    }
}
