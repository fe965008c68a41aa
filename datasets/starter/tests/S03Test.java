package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public final class S03Test {
    public interface Solution {
        Map<String, Integer> countWords(String text) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("case does not matter", Map.of("the", 2, "cat", 2), s -> s.countWords("The cat. the CAT!"));
        cases.equal("keys in order of appearance", List.of("walrus", "zebra", "ape", "newt", "bee"),
                s -> new ArrayList<>(s.countWords("walrus zebra ape newt zebra bee ape").keySet()));
        cases.equal("digits belong to words", Map.of("route", 2, "66", 2), s -> s.countWords("route 66, Route 66"));
        cases.equal("anything else separates", Map.of("a", 1, "b", 1, "c", 2), s -> s.countWords("a-b_c/c"));
        cases.equal("text starts with punctuation", Map.of("end", 1), s -> s.countWords("...end"));
        cases.equal("letters of other languages", Map.of("gr\u00f6\u00dfe", 2),
                s -> s.countWords("Gr\u00f6\u00dfe, gr\u00f6\u00dfe"));
        cases.equal("empty text", Map.of(), s -> s.countWords(""));
    }
}
