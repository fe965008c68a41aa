package aixgrade.starter;

import aixgrade.api.Cases;

public final class S20Test {
    public interface Solution {
        String maskEmail(String email) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("ordinary address", "a***@example.com", s -> s.maskEmail("anna@example.com"));
        cases.equal("two characters", "j*@example.com", s -> s.maskEmail("jo@example.com"));
        cases.equal("one character", "*@example.com", s -> s.maskEmail("x@example.com"));
        cases.equal("the last @ counts", "o****@example.com", s -> s.maskEmail("odd@e@example.com"));
        cases.equal("no @", "not an address", s -> s.maskEmail("not an address"));
        cases.equal("nothing before the @", "@example.com", s -> s.maskEmail("@example.com"));
        cases.equal("null", null, s -> s.maskEmail(null));
    }
}
