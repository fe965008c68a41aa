package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.ArrayList;
import java.util.List;

public final class S02Test {
    public interface Solution {
        <T> List<List<T>> splitIntoBatches(List<T> list, int size) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("last batch is shorter", List.of(List.of(1, 2, 3), List.of(4, 5, 6), List.of(7)),
                s -> s.splitIntoBatches(List.of(1, 2, 3, 4, 5, 6, 7), 3));
        cases.equal("no remainder", List.of(List.of("a", "b"), List.of("c", "d")),
                s -> s.splitIntoBatches(List.of("a", "b", "c", "d"), 2));
        cases.equal("size larger than the list", List.of(List.of(1, 2)),
                s -> s.splitIntoBatches(List.of(1, 2), Integer.MAX_VALUE));
        cases.equal("empty list", List.of(), s -> s.splitIntoBatches(List.of(), 3));
        cases.equal("null", List.of(), s -> s.splitIntoBatches(null, 3));
        cases.fails("size 0", IllegalArgumentException.class, s -> s.splitIntoBatches(List.of(1, 2), 0));
        cases.equal("a changed batch leaves the list alone", List.of(1, 2, 3, 4), s -> {
            List<Integer> list = new ArrayList<>(List.of(1, 2, 3, 4));
            s.splitIntoBatches(list, 2).get(0).set(0, 99);
            return list;
        });
        cases.equal("a changed list leaves the batches alone", List.of(List.of(1, 2), List.of(3)), s -> {
            List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
            List<List<Integer>> batches = s.splitIntoBatches(list, 2);
            list.clear();
            return batches;
        });
    }
}
