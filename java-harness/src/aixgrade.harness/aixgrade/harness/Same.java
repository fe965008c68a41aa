package aixgrade.harness;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/**
 * Equality and display of values that a hostile solution may have created.
 *
 * <p>A comparison follows the expected value, which the test created: it never goes deeper and never reads
 * more elements than that has, so values that contain themselves and endless iterators do no harm. Only the
 * iterators of the solution's collections are used: elements are copied once into our own collections, and
 * the copy is compared. A solution's {@code equals}, {@code hashCode}, {@code contains}, {@code get} and
 * {@code compareTo} are never called. (A set's or map's {@code size} is, and a wrong one makes it unequal.)
 */
final class Same {
    private Same() {}

    /** Whether the values are equal, as documented for {@link aixgrade.api.Cases#equal}. */
    static boolean same(Object expected, Object actual) throws Throwable {
        if (expected == null || actual == null) {
            return expected == actual;
        }
        if (expected.getClass().isArray()) {
            return sameArrays(expected, actual);
        }
        if (expected instanceof Optional<?> optional) {
            // `Optional` is final and never contains null.
            return actual instanceof Optional<?> other && same(optional.orElse(null), other.orElse(null));
        }
        if (expected instanceof Record) {
            return sameRecords(expected, actual);
        }
        if (hasOwnEquals(expected)) {
            return expected.equals(actual);
        }
        if (expected instanceof List<?> list) {
            return actual instanceof List<?> other && sameLists(list, other);
        }
        if (expected instanceof Set<?> set) {
            return actual instanceof Set<?> other && sameSets(set, other);
        }
        if (expected instanceof Map<?, ?> map) {
            return actual instanceof Map<?, ?> other && sameMaps(map, other);
        }
        if (expected instanceof Map.Entry<?, ?> entry) {
            return actual instanceof Map.Entry<?, ?> other
                    && same(entry.getKey(), other.getKey())
                    && same(entry.getValue(), other.getValue());
        }
        return expected.equals(actual);
    }

    private static boolean sameArrays(Object expected, Object actual) throws Throwable {
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

    /** Whether a class of the dataset's defines its own equality; the JDK's classes do not count. */
    private static boolean hasOwnEquals(Object value) throws NoSuchMethodException {
        if (value.getClass().getClassLoader() == null) {
            return false;
        }
        return value.getClass().getMethod("equals", Object.class).getDeclaringClass().getClassLoader() != null;
    }

    private static boolean sameLists(List<?> expected, List<?> actual) throws Throwable {
        Object[] theirs = elements(actual, expected.size());
        if (theirs == null) {
            return false;
        }
        int i = 0;
        for (Object mine : expected) {
            if (!same(mine, theirs[i++])) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameSets(Set<?> expected, Set<?> actual) throws Throwable {
        Object[] theirs = actual.size() == expected.size() ? elements(actual, expected.size()) : null;
        if (theirs == null) {
            return false;
        }
        Unmatched unmatched = new Unmatched(expected instanceof SortedSet<?> sorted ? sorted : null);
        for (Object mine : expected) {
            unmatched.add(mine, null);
        }
        for (Object one : theirs) {
            if (unmatched.take(one) == null) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameMaps(Map<?, ?> expected, Map<?, ?> actual) throws Throwable {
        Object[] theirs = actual.size() == expected.size() ? elements(actual.entrySet(), expected.size()) : null;
        if (theirs == null) {
            return false;
        }
        Unmatched unmatched = new Unmatched(null);
        for (Map.Entry<?, ?> mine : expected.entrySet()) {
            unmatched.add(mine.getKey(), mine.getValue());
        }
        for (Object one : theirs) {
            if (!(one instanceof Map.Entry<?, ?> entry)) {
                return false;
            }
            Pair match = unmatched.take(entry.getKey());
            if (match == null || !same(match.value, entry.getValue())) {
                return false;
            }
        }
        return true;
    }

    /** The elements from a collection's iterator, if there are exactly this many; otherwise {@code null}. */
    private static Object[] elements(Collection<?> from, int count) {
        Object[] elements = new Object[count];
        Iterator<?> iterator = from.iterator();
        for (int i = 0; i < count; i++) {
            if (!iterator.hasNext()) {
                return null;
            }
            elements[i] = iterator.next();
        }
        return iterator.hasNext() ? null : elements;
    }

    /**
     * Records of one class by their components. If only components without nested values differ, the
     * record's own {@code equals} decides, since the dataset may have written one.
     */
    private static boolean sameRecords(Object expected, Object actual) throws Throwable {
        if (actual.getClass() != expected.getClass()) {
            return expected.equals(actual);
        }
        boolean all = true;
        for (RecordComponent component : expected.getClass().getRecordComponents()) {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            Object mine;
            Object theirs;
            try {
                mine = accessor.invoke(expected);
                theirs = accessor.invoke(actual);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (!same(mine, theirs)) {
                if (mine instanceof Collection || mine instanceof Map || mine instanceof Map.Entry
                        || mine instanceof Optional || mine instanceof Record) {
                    return false;
                }
                all = false;
            }
        }
        return all || expected.equals(actual);
    }

    /** Whether a value's equality is decided by the JDK's code alone, so that a hash table may look it up. */
    private static boolean isPlain(Object value) {
        if (value == null || value instanceof Enum) {
            return true;
        }
        Class<?> type = value.getClass();
        return type.getClassLoader() == null && value instanceof Comparable
                && (Modifier.isFinal(type.getModifiers()) || type == BigDecimal.class || type == BigInteger.class);
    }

    /** An expected element, or key and value, that no element of the solution has matched yet. */
    private record Pair(Object key, Object value) {}

    /** The unmatched expected elements. Plain ones are found by hash, others by search. */
    private static final class Unmatched {
        private final Map<Object, Pair> plain = new HashMap<>();
        private final List<Pair> others = new ArrayList<>();
        /**
         * The test's own order, in which elements are equal if they compare as equal; {@code null} for
         * none.
         */
        private final SortedSet<?> sorted;

        Unmatched(SortedSet<?> sorted) {
            this.sorted = sorted != null && sorted.comparator() != null ? sorted : null;
        }

        void add(Object key, Object value) {
            if (isPlain(key)) {
                plain.put(key, new Pair(key, value));
            } else {
                others.add(new Pair(key, value));
            }
        }

        /** Removes a matching pair; {@code null} if there is none. */
        Pair take(Object theirs) throws Throwable {
            if (isPlain(theirs)) {
                Pair found = plain.remove(theirs);
                if (found != null) {
                    return found;
                }
            }
            for (int i = 0; i < others.size(); i++) {
                if (same(others.get(i).key, theirs)) {
                    return others.remove(i);
                }
            }
            if (sorted != null && isPlain(theirs)) {
                for (Object mine : plain.keySet()) {
                    if (comparesEqual(mine, theirs)) {
                        return plain.remove(mine);
                    }
                }
            }
            return null;
        }

        @SuppressWarnings("unchecked")
        private boolean comparesEqual(Object mine, Object theirs) {
            try {
                return ((SortedSet<Object>) sorted).comparator().compare(mine, theirs) == 0;
            } catch (ClassCastException e) {
                return false;
            }
        }
    }

    /** Maximum depth of a displayed value, which also stops at values that contain themselves. */
    private static final int DEEPEST_SHOWN = 8;

    /** The value for display, shortened if it is long. Never fails, although a solution's {@code toString} may. */
    static String show(Object value) {
        try {
            StringBuilder text = new StringBuilder();
            show(value, text, 0);
            return Runner.cut(text.toString());
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            return "a value that cannot be shown (" + e.getClass().getName() + ")";
        }
    }

    private static void show(Object value, StringBuilder text, int depth) {
        if (depth > DEEPEST_SHOWN) {
            text.append('…');
        } else if (value == null) {
            text.append("null");
        } else if (value instanceof String string) {
            text.append('"').append(Runner.cut(string)).append('"');
        } else if (value instanceof Character) {
            text.append("'").append(value).append("'");
        } else if (value.getClass().isArray()) {
            int length = Array.getLength(value);
            text.append('[');
            for (int i = 0; i < length && isShort(text); i++) {
                text.append(i == 0 ? "" : ", ");
                show(Array.get(value, i), text, depth + 1);
            }
            text.append(']');
        } else if (value instanceof Map<?, ?> map) {
            String between = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                if (!isShort(text)) {
                    break;
                }
                text.append(between);
                show(entry.getKey(), text, depth + 1);
                text.append('=');
                show(entry.getValue(), text, depth + 1);
                between = ", ";
            }
            text.append(between.equals("{") ? "{}" : "}");
        } else if (value instanceof Collection<?> collection) {
            // Like `AbstractCollection`, but stops endless iterators.
            Iterator<?> iterator = collection.iterator();
            text.append('[');
            String between = "";
            while (isShort(text) && iterator.hasNext()) {
                text.append(between);
                show(iterator.next(), text, depth + 1);
                between = ", ";
            }
            text.append(']');
        } else if (value instanceof Map.Entry<?, ?> entry) {
            show(entry.getKey(), text, depth + 1);
            text.append('=');
            show(entry.getValue(), text, depth + 1);
        } else if (value instanceof Optional<?> optional && optional.isPresent()) {
            text.append("Optional[");
            show(optional.get(), text, depth + 1);
            text.append(']');
        } else {
            text.append(Runner.cut(value.toString()));
        }
    }

    private static boolean isShort(StringBuilder text) {
        return text.length() < Runner.LONGEST_TEXT;
    }
}
