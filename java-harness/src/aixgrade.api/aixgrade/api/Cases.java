package aixgrade.api;

/**
 * Collects the test cases of one task.
 *
 * <p>A task's test class declares the interface that a solution implements and one method {@code public
 * static void cases(Cases<Solution> cases)}. Each call below is one test case, run at once on a new
 * solution object; an exception or error thrown by the solution fails that case only. A case passes or
 * fails; it never ends the run.
 *
 * @param <S> the interface that the test class declares for its solution
 */
public interface Cases<S> {
    /**
     * The value returned must equal {@code expected}. Arrays, lists, sets, maps, entries, optionals and records are
     * compared part by part, to any depth, by what their iterators give; floating point numbers exactly; everything
     * else by {@code expected.equals(actual)}. An {@code equals}, {@code contains} or {@code hashCode} written by the
     * solution is never called.
     */
    void equal(String name, Object expected, Call<? super S> call);

    /** The number returned must lie within {@code tolerance} of {@code expected}. */
    void near(String name, double expected, double tolerance, Call<? super S> call);

    /** The condition must hold. */
    void check(String name, Condition<? super S> condition);

    /** The call must throw {@code expected} or a subclass of it. */
    void fails(String name, Class<? extends Throwable> expected, Call<? super S> call);

    /** A call on the solution that returns the value to check. */
    @FunctionalInterface
    interface Call<S> {
        Object on(S solution) throws Throwable;
    }

    /** A statement about the solution that is true or false. */
    @FunctionalInterface
    interface Condition<S> {
        boolean on(S solution) throws Throwable;
    }
}
