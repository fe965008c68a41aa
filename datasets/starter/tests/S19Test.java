package aixgrade.starter;

import aixgrade.api.Cases;

public final class S19Test {
    public interface Solution {
        long[] splitAmount(long totalCents, int[] weights) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("no remainder", new long[] {50, 50}, s -> s.splitAmount(100, new int[] {1, 1}));
        cases.equal("remainder goes to the first", new long[] {34, 33, 33},
                s -> s.splitAmount(100, new int[] {1, 1, 1}));
        cases.equal("two cents left over", new long[] {1, 1, 0}, s -> s.splitAmount(2, new int[] {5, 5, 5}));
        cases.equal("different weights", new long[] {34, 66}, s -> s.splitAmount(100, new int[] {1, 2}));
        cases.equal("weight 0 gets nothing", new long[] {0, 4, 3, 0, 3},
                s -> s.splitAmount(10, new int[] {0, 1, 1, 0, 1}));
        cases.equal("large amount", new long[] {999_000_000_000L, 999_999_999L},
                s -> s.splitAmount(999_999_999_999L, new int[] {999, 1}));
        cases.fails("negative amount", IllegalArgumentException.class, s -> s.splitAmount(-1, new int[] {1, 1}));
        cases.fails("all weights 0", IllegalArgumentException.class, s -> s.splitAmount(10, new int[] {0, 0}));
    }
}
