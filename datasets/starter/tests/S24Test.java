package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

public final class S24Test {
    public interface Solution {
        <T, K> List<T> latestByKey(List<T> items, Function<? super T, ? extends K> keyOf) throws Exception;
    }

    /** The key of "b2" is "b"; a text that starts with '-' has none. */
    private static final Function<String, String> FIRST_LETTER =
            item -> item.startsWith("-") ? null : item.substring(0, 1);

    public static void cases(Cases<Solution> cases) {
        cases.equal("the last one is kept", List.of("a3"), s -> s.latestByKey(List.of("a1", "a2", "a3"), FIRST_LETTER));
        cases.equal("at the place of the first", List.of("z2", "b1", "a2"),
                s -> s.latestByKey(List.of("z1", "b1", "a1", "z2", "a2"), FIRST_LETTER));
        cases.equal("nothing to remove", List.of("c1", "a1", "b1"),
                s -> s.latestByKey(List.of("c1", "a1", "b1"), FIRST_LETTER));
        cases.equal("no key", List.of("a2"), s -> s.latestByKey(List.of("-x", "a1", "-y", "a2"), FIRST_LETTER));
        cases.equal("empty list", List.of(), s -> s.latestByKey(List.<String>of(), FIRST_LETTER));
        cases.equal("the given list stays as it was", List.of("a1", "-x", "a2"), s -> {
            List<String> items = new ArrayList<>(List.of("a1", "-x", "a2"));
            s.latestByKey(items, FIRST_LETTER);
            return items;
        });
    }
}
