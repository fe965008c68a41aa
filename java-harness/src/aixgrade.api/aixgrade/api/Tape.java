package aixgrade.api;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * Records a solution's answers, and returns the same answers to the same tests in another process.
 *
 * <p>The server generates a class between the tests and the solution that passes every call to {@link #call}. A first
 * process records: it calls the solution and stores each answer with the arguments as the solution left them. A second
 * process, which has none of the solution's code, replays: it answers from the tape. The tests therefore judge the
 * answers in a process where the solution cannot interfere, whatever the first process reported.
 */
public final class Tape {
    /** Maximum length of a tape in bytes. A longer one is discarded; the server rejects longer ones. */
    private static final int LONGEST = 4 << 20;

    private static boolean recording;
    private static ByteArrayOutputStream kept;
    private static List<Entry> played;

    private Tape() {}

    /** One recorded call: the method, a number that identifies the arguments before it, the result. */
    private record Entry(String method, int before, boolean thrown, byte[] both) {}

    /** A call of the solution. */
    public interface Call {
        Object on() throws Throwable;
    }

    /** Starts recording. */
    public static synchronized void record() {
        recording = true;
        kept = new ByteArrayOutputStream();
        played = null;
    }

    /** Starts replaying answers from this tape. */
    public static synchronized void play(byte[] tape) {
        recording = false;
        kept = null;
        played = new ArrayList<>();
        try {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(tape));
            while (in.available() > 0) {
                String method = in.readUTF();
                int before = in.readInt();
                boolean thrown = in.readBoolean();
                byte[] both = new byte[Math.min(in.readInt(), in.available())];
                in.readFully(both);
                played.add(new Entry(method, before, thrown, both));
            }
        } catch (IOException | NegativeArraySizeException e) {
            // The rest of a damaged tape has no answers, so the tests cannot pass.
        }
    }

    /** The tape; {@code null} if nothing was recorded, or an answer could not be stored. */
    public static synchronized byte[] recorded() {
        return kept == null || kept.size() > LONGEST ? null : kept.toByteArray();
    }

    /** A new solution to call; {@code null} if the answers come from a tape. */
    public static Object solution(ClassLoader loader, String name) {
        if (!recording) {
            return null;
        }
        try {
            Constructor<?> constructor = Class.forName(name, true, loader).getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (InvocationTargetException e) {
            throw Tape.<RuntimeException>thrown(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The answer to this call of this method: the solution's, or the tape's. */
    public static Object call(String method, Object[] arguments, Call call) {
        if (!recording) {
            return answer(method, arguments);
        }
        byte[][] before = each(arguments);
        Object value = null;
        Throwable thrown = null;
        try {
            value = call.on();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            thrown = e;
        }
        keep(method, before, thrown == null ? value : thrown, thrown != null, arguments);
        if (thrown != null) {
            throw Tape.<RuntimeException>thrown(thrown);
        }
        return value;
    }

    /** Each argument in its current state; {@code null} for those that cannot be stored. */
    private static byte[][] each(Object[] arguments) {
        byte[][] each = new byte[arguments.length][];
        for (int i = 0; i < each.length; i++) {
            try {
                each[i] = bytes(arguments[i]);
            } catch (IOException | RuntimeException | StackOverflowError e) {
                // Nothing to compare.
            }
        }
        return each;
    }

    private static byte[] bytes(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Plain(bytes)) {
            out.writeObject(value);
        }
        return bytes.toByteArray();
    }

    private static synchronized void keep(String method, byte[][] before, Object answer, boolean thrown, Object[] arguments) {
        if (kept == null) {
            return;
        }
        Object[] left = new Object[arguments.length];
        byte[][] after = each(arguments);
        for (int i = 0; i < left.length; i++) {
            left[i] = Arrays.equals(before[i], after[i]) ? null : content(arguments[i]);
            if (answer == arguments[i] && answer != null) {
                // The answer is this argument itself, not an equal object: its index is stored.
                answer = new int[][] {{i}, {}};
            }
        }
        try {
            byte[] both = thrown ? bytes(new Object[] {plain((Throwable) answer), left}) : bytes(new Object[] {answer, left});
            DataOutputStream out = new DataOutputStream(kept);
            out.writeUTF(method);
            out.writeInt(Arrays.deepHashCode(before));
            out.writeBoolean(thrown);
            out.writeInt(both.length);
            out.write(both);
            if (kept.size() > LONGEST) {
                kept = null;
            }
        } catch (IOException | RuntimeException | StackOverflowError e) {
            kept = null;
        }
    }

    /** The throwable, or an instance of its nearest JDK class if it cannot be stored itself. */
    private static Throwable plain(Throwable thrown) throws IOException {
        try {
            bytes(thrown);
            return thrown;
        } catch (IOException | RuntimeException e) {
            Class<?> type = thrown.getClass();
            while (type.getClassLoader() != null) {
                type = type.getSuperclass();
            }
            try {
                return (Throwable) type.getConstructor(String.class).newInstance(thrown.getMessage());
            } catch (ReflectiveOperationException | RuntimeException none) {
                return new RuntimeException(type.getName());
            }
        }
    }

    private static synchronized Object answer(String method, Object[] arguments) {
        Object answer;
        boolean thrown;
        try {
            // Tests may call in another order if it depends on addresses, such as the order of arrays in a set.
            Entry entry = next(method, Arrays.deepHashCode(each(arguments)));
            thrown = entry.thrown;
            Object[] both;
            try (ObjectInputStream in = new Canonical(entry.both)) {
                both = (Object[]) in.readObject();
            }
            answer = both[0];
            Object[] left = (Object[]) both[1];
            for (int i = 0; i < arguments.length; i++) {
                restore(arguments[i], left[i]);
            }
        } catch (IOException | ClassNotFoundException | RuntimeException e) {
            throw new IllegalStateException("the tape cannot be replayed", e);
        }
        if (thrown) {
            throw Tape.<RuntimeException>thrown((Throwable) answer);
        }
        boolean same = answer instanceof int[][] mark && mark.length == 2 && mark[0].length == 1 && mark[1].length == 0;
        return same ? arguments[((int[][]) answer)[0][0]] : answer;
    }

    /** The next call of this method, with these arguments if there is one. */
    private static Entry next(String method, int before) {
        Entry found = null;
        for (Entry entry : played) {
            if (entry.method.equals(method) && (found == null || found.before != before && entry.before == before)) {
                found = entry;
            }
        }
        if (found == null) {
            throw new IllegalStateException("the tape has no such call");
        }
        played.remove(found);
        return found;
    }

    /** The changed content of an argument, without the argument's own class, which may be the tests'. */
    private static Object content(Object argument) {
        if (argument instanceof Collection<?> all) {
            return new ArrayList<Object>(all);
        }
        if (argument instanceof Map<?, ?> map) {
            return new LinkedHashMap<Object, Object>(map);
        }
        if (argument instanceof StringBuilder || argument instanceof StringBuffer) {
            return argument.toString();
        }
        return argument instanceof Date || argument != null && argument.getClass().isArray() ? argument : null;
    }

    @SuppressWarnings("unchecked")
    private static void restore(Object argument, Object left) {
        if (left == null) {
            return;
        }
        if (argument instanceof Collection<?> all) {
            all.clear();
            ((Collection<Object>) all).addAll((Collection<Object>) left);
        } else if (argument instanceof Map<?, ?> map) {
            map.clear();
            ((Map<Object, Object>) map).putAll((Map<Object, Object>) left);
        } else if (argument instanceof StringBuilder text) {
            text.replace(0, text.length(), (String) left);
        } else if (argument instanceof StringBuffer text) {
            text.replace(0, text.length(), (String) left);
        } else if (argument instanceof Date date) {
            date.setTime(((Date) left).getTime());
        } else {
            for (int i = 0; i < Array.getLength(argument); i++) {
                Object before = Array.get(argument, i);
                Object after = Array.get(left, i);
                if (before != null && after != null && before.getClass().isArray()) {
                    restore(before, after);
                } else {
                    Array.set(argument, i, after);
                }
            }
        }
    }

    /** Allows only plain JDK values: the first process may send hostile data. */
    private static ObjectInputFilter.Status filter(ObjectInputFilter.FilterInfo info) {
        if (info.depth() > 50 || info.references() > 100_000 || info.arrayLength() > 100_000) {
            return ObjectInputFilter.Status.REJECTED;
        }
        Class<?> type = info.serialClass();
        if (type == null) {
            return ObjectInputFilter.Status.UNDECIDED;
        }
        while (type.isArray()) {
            type = type.getComponentType();
        }
        return type.isPrimitive() || isPlain(type) ? ObjectInputFilter.Status.ALLOWED : ObjectInputFilter.Status.REJECTED;
    }

    private static boolean isPlain(Class<?> type) {
        if (type.getClassLoader() != null) {
            return false;
        }
        return switch (type.getPackageName()) {
            case "java.lang", "java.math", "java.time", "java.util" -> true;
            default -> Throwable.class.isAssignableFrom(type);
        };
    }

    /** Orders in which only equal values are equal. Others can find different ones equal, or all. */
    private static final List<Comparator<?>> ORDERS =
            List.of(Comparator.naturalOrder(), Comparator.reverseOrder());

    /**
     * Whether a set or a map is what its content says: it has no value twice, as one that was built of a sorted set of the
     * solution can have, and finds nothing but its content.
     */
    private static boolean isOrdinary(Object object) {
        Object order = null;
        if (object instanceof SortedSet<?> set) {
            order = set.comparator();
        } else if (object instanceof SortedMap<?, ?> map) {
            order = map.comparator();
        }
        try {
            return (order == null || ORDERS.contains(order))
                    && (!(object instanceof Set<?> set) || new HashSet<Object>(set).size() == set.size())
                    && (!(object instanceof Map<?, ?> map) || new HashMap<Object, Object>(map).size() == map.size());
        } catch (RuntimeException | StackOverflowError e) {
            return false;
        }
    }

    /** Throws anything, without a {@code throws} declaration. */
    @SuppressWarnings("unchecked")
    public static <E extends Throwable> E thrown(Throwable e) throws E {
        throw (E) e;
    }

    /** Reads plain values. Replaces values of which Java keeps a single object, because tests may compare with ==. */
    private static final class Canonical extends ObjectInputStream {
        Canonical(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
            setObjectInputFilter(Tape::filter);
            enableResolveObject(true);
        }

        @Override
        protected Object resolveObject(Object object) throws InvalidObjectException {
            if (object instanceof String text) {
                return text.intern();
            } else if (object instanceof Integer number) {
                return Integer.valueOf(number);
            } else if (object instanceof Long number) {
                return Long.valueOf(number);
            } else if (object instanceof Short number) {
                return Short.valueOf(number);
            } else if (object instanceof Byte number) {
                return Byte.valueOf(number);
            } else if (object instanceof Character character) {
                return Character.valueOf(character);
            } else if (object instanceof Boolean value) {
                return Boolean.valueOf(value);
            } else if (!isOrdinary(object)) {
                throw new InvalidObjectException("a set or a map that is not what it says");
            }
            return object;
        }
    }

    /** Rejects what {@link #filter} would reject. */
    private static final class Plain extends ObjectOutputStream {
        Plain(ByteArrayOutputStream out) throws IOException {
            super(out);
            enableReplaceObject(true);
        }

        @Override
        protected Object replaceObject(Object object) throws IOException {
            Class<?> type = object.getClass();
            while (type.isArray()) {
                type = type.getComponentType();
            }
            if (type.isPrimitive() || isPlain(type) && object instanceof Serializable && isOrdinary(object)) {
                return object;
            }
            // Replaces sets and maps that are not what they say, views, and containers of other classes
            // such as `new HashMap<>() {{ … }}`, by JDK collections with the same content.
            if (object instanceof List<?> list) {
                return new ArrayList<Object>(list);
            }
            if (object instanceof Set<?> set) {
                return new LinkedHashSet<Object>(set);
            }
            if (object instanceof Map<?, ?> map) {
                return new LinkedHashMap<Object, Object>(map);
            }
            if (object instanceof Map.Entry<?, ?> entry) {
                return new AbstractMap.SimpleEntry<Object, Object>(entry);
            }
            if (object instanceof Collection<?> all) {
                return new ArrayList<Object>(all);
            }
            throw new NotSerializableException(type.getName());
        }
    }
}
