package aixgrade.harness;

import aixgrade.api.Cases;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Runs a test class of our own format: {@code public static void cases(Cases<Solution> cases)}. */
final class Collector implements Cases<Object> {
    private final Constructor<?> solution;
    private final List<Runner.Case> cases = new ArrayList<>();
    private int passed;

    private Collector(Constructor<?> solution) {
        this.solution = solution;
    }

    static Runner.Result run(Runner.Job job, TestLoader tests) throws Throwable {
        Class<?> type = tests.loadClass(job.testClass());
        tests.openToHarness(type);
        Constructor<?> solution = tests.loadClass(job.outputClass()).getDeclaredConstructor();
        solution.setAccessible(true);
        Method method = type.getDeclaredMethod("cases", Cases.class);
        method.setAccessible(true);
        Collector collector = new Collector(solution);
        try {
            method.invoke(null, collector);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        return new Runner.Result("finished", collector.passed, collector.cases.size(), "", collector.cases);
    }

    @Override
    public void equal(String name, Object expected, Call<? super Object> call) {
        run(name, () -> {
            Object actual = call.on(fresh());
            return Same.same(expected, actual) ? null : "expected " + Same.show(expected) + ", got " + Same.show(actual);
        });
    }

    @Override
    public void near(String name, double expected, double tolerance, Call<? super Object> call) {
        run(name, () -> {
            Object actual = call.on(fresh());
            // Only the JDK's own numbers: the solution's own subclass of Number could answer anything.
            boolean number = actual instanceof Number && actual.getClass().getClassLoader() == null;
            if (number) {
                double value = ((Number) actual).doubleValue();
                if (Double.compare(value, expected) == 0 || Math.abs(value - expected) <= tolerance) {
                    return null;
                }
            }
            return "expected " + expected + " within " + tolerance + ", got " + Same.show(actual);
        });
    }

    @Override
    public void check(String name, Condition<? super Object> condition) {
        run(name, () -> condition.on(fresh()) ? null : "the condition does not hold");
    }

    @Override
    public void fails(String name, Class<? extends Throwable> expected, Call<? super Object> call) {
        run(name, () -> {
            Object actual;
            Object object = fresh();
            try {
                actual = call.on(object);
            } catch (OutOfMemoryError e) {
                throw e;
            } catch (Throwable e) {
                return expected.isInstance(e) ? null : "expected " + expected.getName() + ", got " + Runner.say(e);
            }
            return "expected " + expected.getName() + ", got " + Same.show(actual);
        });
    }

    private Object fresh() throws Throwable {
        try {
            return solution.newInstance();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void run(String name, Attempt attempt) {
        String fault;
        try {
            fault = attempt.fault();
        } catch (OutOfMemoryError e) {
            // The limit was exceeded, which is the verdict on the output and not on one case.
            throw e;
        } catch (Throwable e) {
            fault = Runner.say(e);
        }
        if (fault == null) {
            passed++;
        }
        cases.add(new Runner.Case(Runner.cut(name), fault == null, fault == null ? "" : Runner.cut(fault)));
    }

    /** Returns what is wrong, or {@code null} if the case passes. */
    @FunctionalInterface
    private interface Attempt {
        String fault() throws Throwable;
    }
}
