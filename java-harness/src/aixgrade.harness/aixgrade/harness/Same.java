package aixgrade.harness;

import java.lang.reflect.Array;

/** Equality and display of values that a hostile solution may have made. */
final class Same {
    private Same() {}

    /** Arrays by content and to any depth, the rest by the expected value's own {@code equals}. */
    static boolean same(Object expected, Object actual) {
        if (expected == null || actual == null) {
            return expected == actual;
        }
        if (!expected.getClass().isArray()) {
            return expected.equals(actual);
        }
        if (!actual.getClass().isArray()) {
            return false;
        }
        Class<?> part = expected.getClass().getComponentType();
        if (part.isPrimitive() && part != actual.getClass().getComponentType()) {
            return false;
        }
        int length = Array.getLength(expected);
        if (length != Array.getLength(actual)) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (!same(Array.get(expected, i), Array.get(actual, i))) {
                return false;
            }
        }
        return true;
    }

    /** The value for people; never fails, though a solution's {@code toString} may. */
    static String show(Object value) {
        try {
            if (value == null) {
                return "null";
            }
            if (value instanceof String text) {
                return '"' + Runner.cut(text) + '"';
            }
            if (value instanceof Character c) {
                return "'" + c + "'";
            }
            if (!value.getClass().isArray()) {
                return Runner.cut(value.toString());
            }
            StringBuilder text = new StringBuilder("[");
            for (int i = 0; i < Array.getLength(value) && text.length() < Runner.LONGEST_TEXT; i++) {
                text.append(i == 0 ? "" : ", ").append(show(Array.get(value, i)));
            }
            return Runner.cut(text.append(']').toString());
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            return "a value that cannot be shown (" + e.getClass().getName() + ")";
        }
    }
}
