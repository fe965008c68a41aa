package aixgrade.programs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Plain values and frames for the two processes of the guard. The reader creates only boxed numbers, text, lists, sets,
 * maps, Optional and arrays of these, whatever the bytes are.
 */
public final class Values {
    /** A value of another type. */
    public static final class NotPlain extends RuntimeException {
        NotPlain(String message) {
            super(message);
        }
    }

    private static final int LONGEST = 16 << 20;
    private static final int DEEPEST = 200;
    /** Positions of arguments that have a bit. */
    private static final int MOST_ARGUMENTS = 64;

    // What was written or read since the last `forget`: see `Facts` in answers.rs.
    private static double largest;
    private static int nans;
    private static int infinities;
    private static int entries;
    /** The most that `entries` may become; a set of keys that collide is not even made. */
    private static int mostEntries = Integer.MAX_VALUE;

    /** An error that ends tests: a call has no answer. */
    static final class Unanswered extends Error {
        Unanswered() {
            super("no answer");
        }
    }

    /** The kind of the last frame that {@link #receive} returned. */
    static char kind;

    private static FileInputStream in;
    private static FileOutputStream out;

    private Values() {}

    /** Uses standard input as the control socket. A sample that reads from standard input finds it empty. */
    static void open() {
        in = new FileInputStream(FileDescriptor.in);
        out = new FileOutputStream(FileDescriptor.in);
        System.setIn(InputStream.nullInputStream());
    }

    static void send(char kind, byte[] content) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(frame);
        data.writeInt(content.length + 1);
        data.writeByte(kind);
        data.write(content);
        out.write(frame.toByteArray());
    }

    static byte[] receive() throws IOException {
        DataInputStream data = new DataInputStream(in);
        int size = data.readInt();
        if (size < 1 || size > LONGEST) {
            throw new IOException("a frame of " + size);
        }
        kind = (char) data.readByte();
        byte[] content = new byte[size - 1];
        data.readFully(content);
        return content;
    }

    /** The judge's side of a call: sends the arguments and returns the answer. */
    public static Object call(Object... given) {
        try {
            send('C', dump(given));
            byte[] received = receive();
            if (kind != 'A') {
                throw new Unanswered();
            }
            Object[] changed = new Object[given.length];
            Object[] answer = new Object[1];
            char refused = loadAnswer(received, answer, changed);
            if (refused != 0) {
                send('O', new byte[] {(byte) refused});
                throw new Unanswered();
            }
            for (int i = 0; i < given.length; i++) {
                refill(given[i], changed[i]);
            }
            return answer[0];
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Applies the solver's changes to a list argument, because a method may change the list that it is given. There are
     * only changes of arguments that the dataset's own solution changes.
     */
    @SuppressWarnings("unchecked")
    private static void refill(Object ours, Object theirs) {
        if (ours instanceof ArrayList && theirs instanceof List && !ours.equals(theirs)) {
            ((List<Object>) ours).clear();
            ((List<Object>) ours).addAll((List<Object>) theirs);
        }
    }

    private static void forget() {
        largest = 0;
        nans = 0;
        infinities = 0;
        entries = 0;
        mostEntries = Integer.MAX_VALUE;
    }

    /** Counts keys or elements. */
    private static void seeEntries(int count) {
        entries += count;
        if (entries > mostEntries) {
            throw new IllegalStateException("too many keys");
        }
    }

    private static void see(double number) {
        double size = Math.abs(number);
        if (Double.isNaN(size)) {
            nans++;
        } else if (Double.isInfinite(size)) {
            infinities++;
        } else if (size > largest) {
            largest = size;
        }
    }

    /** Sees an integer. The absolute value of the smallest one is not positive. */
    private static long seeInteger(long number, long smallest) {
        if (number == smallest) {
            infinities++;
        }
        return number;
    }

    /** The arguments that a method can change for its caller, as bytes; otherwise null. */
    static byte[][] dumpChangeable(Object[] given) throws IOException {
        byte[][] before = new byte[given.length][];
        for (int i = 0; i < given.length && i < MOST_ARGUMENTS; i++) {
            before[i] = given[i] instanceof ArrayList ? dump(given[i]) : null;
        }
        return before;
    }

    /**
     * An answer with the arguments that the method changed: those whose bytes are not what they were. A change that
     * cannot be sent does not count.
     */
    static byte[] dumpAnswer(Object answer, Object[] given, byte[][] before) throws IOException {
        forget();
        byte[] whole = dump(answer);
        ByteArrayOutputStream changes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(changes);
        long changed = 0;
        for (int i = 0; i < given.length; i++) {
            if (before[i] == null) {
                continue;
            }
            double largestUntil = largest;
            int nansUntil = nans;
            int infinitiesUntil = infinities;
            int entriesUntil = entries;
            byte[] now = before[i];
            try {
                now = dump(given[i]);
            } catch (NotPlain e) {
                // It stays as it was.
            }
            if (Arrays.equals(now, before[i])) {
                largest = largestUntil;
                nans = nansUntil;
                infinities = infinitiesUntil;
                entries = entriesUntil;
            } else {
                changed |= 1L << i;
                to.writeInt(now.length);
                to.write(now);
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(bytes);
        data.writeLong(changed);
        data.writeLong(0);
        data.writeDouble(largest);
        data.writeInt(nans);
        data.writeInt(infinities);
        data.writeInt(entries);
        data.writeInt(whole.length);
        data.write(whole);
        data.write(changes.toByteArray());
        return bytes.toByteArray();
    }

    /** Returns why the answer is refused, or 0: see `refusal` in answers.rs. */
    private static char loadAnswer(byte[] bytes, Object[] answer, Object[] changed) throws IOException {
        DataInputStream from = new DataInputStream(new ByteArrayInputStream(bytes));
        long positions = from.readLong();
        from.readLong();
        double mostLargest = from.readDouble();
        int mostNans = from.readInt();
        int mostInfinities = from.readInt();
        forget();
        mostEntries = from.readInt();
        try {
            answer[0] = load(from.readNBytes(from.readInt()));
            for (int i = 0; i < MOST_ARGUMENTS; i++) {
                if ((positions >>> i & 1) == 1) {
                    changed[i] = load(from.readNBytes(from.readInt()));
                }
            }
        } catch (IOException | RuntimeException e) {
            return entries > mostEntries ? 'e' : 'f';
        } finally {
            mostEntries = Integer.MAX_VALUE;
        }
        return nans > mostNans ? 'n' : infinities > mostInfinities ? 'i' : !(largest <= mostLargest) ? 'l' : 0;
    }

    static byte[] dump(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        put(new DataOutputStream(bytes), value, 0);
        return bytes.toByteArray();
    }

    private static void put(DataOutputStream to, Object value, int depth) throws IOException {
        if (depth > DEEPEST) {
            throw new NotPlain("values nested too deep");
        }
        if (value == null) {
            to.writeByte('n');
        } else if (value instanceof Integer) {
            to.writeByte('i');
            seeInteger((Integer) value, Integer.MIN_VALUE);
            to.writeInt((Integer) value);
        } else if (value instanceof Long) {
            to.writeByte('l');
            seeInteger((Long) value, Long.MIN_VALUE);
            to.writeLong((Long) value);
        } else if (value instanceof Double) {
            to.writeByte('d');
            see((Double) value);
            to.writeDouble((Double) value);
        } else if (value instanceof Float) {
            to.writeByte('f');
            see((Float) value);
            to.writeFloat((Float) value);
        } else if (value instanceof Boolean) {
            to.writeByte((Boolean) value ? 'T' : 'F');
        } else if (value instanceof Character) {
            to.writeByte('c');
            to.writeChar((Character) value);
        } else if (value instanceof String) {
            to.writeByte('s');
            byte[] text = ((String) value).getBytes(StandardCharsets.UTF_16BE);
            to.writeInt(text.length);
            to.write(text);
        } else if (value instanceof Optional) {
            to.writeByte('O');
            put(to, ((Optional<?>) value).orElse(null), depth + 1);
        } else if (value instanceof Map) {
            Map<?, ?> map = (Map<?, ?>) value;
            to.writeByte('m');
            seeEntries(map.size());
            to.writeInt(map.size());
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                put(to, entry.getKey(), depth + 1);
                put(to, entry.getValue(), depth + 1);
            }
        } else if (value instanceof List || value instanceof Set) {
            to.writeByte(value instanceof List ? 'L' : 'S');
            Object[] items = ((Collection<?>) value).toArray();
            seeEntries(value instanceof List ? 0 : items.length);
            to.writeInt(items.length);
            for (Object item : items) {
                put(to, item, depth + 1);
            }
        } else if (value instanceof Object[] || value instanceof int[]) {
            to.writeByte(value instanceof int[] ? 'I' : 'A');
            int length = Array.getLength(value);
            to.writeInt(length);
            for (int i = 0; i < length; i++) {
                put(to, Array.get(value, i), depth + 1);
            }
        } else {
            throw new NotPlain("a value of type " + value.getClass().getName());
        }
    }

    static Object load(byte[] bytes) throws IOException {
        DataInputStream from = new DataInputStream(new ByteArrayInputStream(bytes));
        Object value = get(from, 0);
        if (from.available() > 0) {
            throw new IOException("bytes after a value");
        }
        return value;
    }

    private static int size(DataInputStream from) throws IOException {
        int size = from.readInt();
        if (size < 0 || size > from.available()) {
            throw new IOException("truncated value");
        }
        return size;
    }

    private static Object get(DataInputStream from, int depth) throws IOException {
        if (depth > DEEPEST + 8) {
            throw new IOException("values nested too deep");
        }
        char kind = (char) from.readByte();
        switch (kind) {
            case 'n':
                return null;
            case 'i':
                return (int) seeInteger(from.readInt(), Integer.MIN_VALUE);
            case 'l':
                return seeInteger(from.readLong(), Long.MIN_VALUE);
            case 'd':
                double number = from.readDouble();
                see(number);
                return number;
            case 'f':
                float single = from.readFloat();
                see(single);
                return single;
            case 'T':
                return true;
            case 'F':
                return false;
            case 'c':
                return from.readChar();
            case 's':
                byte[] text = new byte[size(from)];
                from.readFully(text);
                // Equal texts are one object, as for literals: some tests compare with ==.
                return new String(text, StandardCharsets.UTF_16BE).intern();
            case 'O':
                return Optional.ofNullable(get(from, depth + 1));
            case 'm':
                Map<Object, Object> map = new LinkedHashMap<>();
                for (int left = size(from); left > 0; left--) {
                    seeEntries(1);
                    Object key = get(from, depth + 1);
                    map.put(key, get(from, depth + 1));
                }
                return map;
            case 'L':
            case 'S':
            case 'A':
                List<Object> items = new ArrayList<>();
                for (int left = size(from); left > 0; left--) {
                    seeEntries(kind == 'S' ? 1 : 0);
                    items.add(get(from, depth + 1));
                }
                return kind == 'L' ? items : kind == 'S' ? new LinkedHashSet<>(items) : items.toArray();
            case 'I':
                int[] numbers = new int[size(from)];
                for (int i = 0; i < numbers.length; i++) {
                    numbers[i] = (Integer) get(from, depth + 1);
                }
                return numbers;
            default:
                throw new IOException("not a value");
        }
    }
}
