package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.ArrayList;
import java.util.List;

public final class S11Test {
    public interface Solution {
        <T> void move(List<T> list, int from, int to) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("towards the end", List.of("b", "c", "a", "d"), s -> moved(s, 0, 2));
        cases.equal("to the last place", List.of("b", "c", "d", "a"), s -> moved(s, 0, 3));
        cases.equal("towards the start", List.of("a", "d", "b", "c"), s -> moved(s, 3, 1));
        cases.equal("to where it is", List.of("a", "b", "c", "d"), s -> moved(s, 1, 1));
        cases.fails("from outside", IndexOutOfBoundsException.class, s -> moved(s, 4, 0));
        cases.fails("to outside", IndexOutOfBoundsException.class, s -> moved(s, 0, 4));
        cases.equal("a wrong index changes nothing", List.of("a", "b", "c", "d"), s -> {
            List<String> list = letters();
            try {
                s.move(list, 0, 7);
            } catch (IndexOutOfBoundsException expected) {
                // the list is what this case looks at
            }
            return list;
        });
    }

    private static List<String> letters() {
        return new ArrayList<>(List.of("a", "b", "c", "d"));
    }

    private static List<String> moved(Solution s, int from, int to) throws Exception {
        List<String> list = letters();
        s.move(list, from, to);
        return list;
    }
}
