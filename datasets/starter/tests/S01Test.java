package aixgrade.starter;

import aixgrade.api.Cases;

public final class S01Test {
    public interface Solution {
        String ellipsize(String text, int max) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("shorter than the limit", "short", s -> s.ellipsize("short", 10));
        cases.equal("exactly as long as the limit", "abcde", s -> s.ellipsize("abcde", 5));
        cases.equal("one character too long", "abcd\u2026", s -> s.ellipsize("abcdef", 5));
        cases.equal("much too long", "An un\u2026", s -> s.ellipsize("An unusually long subject line", 6));
        cases.equal("room for one character only", "\u2026", s -> s.ellipsize("abc", 1));
        cases.equal("null", "", s -> s.ellipsize(null, 5));
    }
}
