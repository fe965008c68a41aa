package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public final class S15Test {
    public interface Solution {
        void closeAll(List<? extends AutoCloseable> resources) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("last one first", List.of("c", "b", "a"), s -> {
            List<String> log = new ArrayList<>();
            s.closeAll(List.of(good("a", log), good("b", log), good("c", log)));
            return log;
        });
        cases.equal("null is skipped", List.of("b", "a"), s -> {
            List<String> log = new ArrayList<>();
            s.closeAll(Arrays.asList(good("a", log), null, good("b", log), null));
            return log;
        });
        cases.equal("nothing to close", "done", s -> {
            s.closeAll(List.of());
            return "done";
        });
        cases.equal("a failure does not keep the others open", List.of("c", "b", "a"), s -> {
            List<String> log = new ArrayList<>();
            failureOf(s, List.of(good("a", log), bad("b", log), good("c", log)));
            return log;
        });
        cases.equal("the failure is thrown as it is", "b", s -> {
            List<String> log = new ArrayList<>();
            return failureOf(s, List.of(good("a", log), bad("b", log), good("c", log))).getMessage();
        });
        cases.equal("later failures are suppressed", List.of("c", "b", "a"), s -> {
            List<String> log = new ArrayList<>();
            Exception failure = failureOf(s, List.of(bad("a", log), bad("b", log), bad("c", log)));
            List<String> messages = new ArrayList<>(List.of(failure.getMessage()));
            for (Throwable suppressed : failure.getSuppressed()) {
                messages.add(suppressed.getMessage());
            }
            return messages;
        });
    }

    private static AutoCloseable good(String name, List<String> log) {
        return () -> log.add(name);
    }

    private static AutoCloseable bad(String name, List<String> log) {
        return () -> {
            log.add(name);
            throw new Exception(name);
        };
    }

    private static Exception failureOf(Solution s, List<AutoCloseable> resources) {
        try {
            s.closeAll(resources);
        } catch (Exception failure) {
            return failure;
        }
        throw new AssertionError("no exception was thrown");
    }
}
