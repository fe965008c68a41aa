package aixgrade.starter;

import aixgrade.api.Cases;

public final class S17Test {
    public interface Solution {
        long parseDuration(String text) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("hours and minutes", 5400L, s -> s.parseDuration("1h 30m"));
        cases.equal("no space between", 187_200L, s -> s.parseDuration("2d4h"));
        cases.equal("upper case", 225L, s -> s.parseDuration("3M 45S"));
        cases.equal("any order, same unit twice", 80L, s -> s.parseDuration("10s 1m 10s"));
        cases.equal("more seconds than an int holds", 4_320_000_000L, s -> s.parseDuration("50000d"));
        cases.fails("number with no unit", IllegalArgumentException.class, s -> s.parseDuration("1h 15"));
        cases.fails("unknown unit", IllegalArgumentException.class, s -> s.parseDuration("1h 5x"));
        cases.fails("blank", IllegalArgumentException.class, s -> s.parseDuration("  "));
    }
}
