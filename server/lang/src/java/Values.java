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
            Object[] answer = (Object[]) load(received);
            Object[] changed = (Object[]) answer[1];
            for (int i = 0; i < given.length; i++) {
                refill(given[i], changed[i]);
            }
            return answer[0];
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Applies the solver's changes to a list argument, because a method may change the list that it is given. */
    @SuppressWarnings("unchecked")
    private static void refill(Object ours, Object theirs) {
        if (ours instanceof ArrayList && theirs instanceof List && !ours.equals(theirs)) {
            ((List<Object>) ours).clear();
            ((List<Object>) ours).addAll((List<Object>) theirs);
        }
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
            to.writeInt((Integer) value);
        } else if (value instanceof Long) {
            to.writeByte('l');
            to.writeLong((Long) value);
        } else if (value instanceof Double) {
            to.writeByte('d');
            to.writeDouble((Double) value);
        } else if (value instanceof Float) {
            to.writeByte('f');
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
            to.writeInt(map.size());
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                put(to, entry.getKey(), depth + 1);
                put(to, entry.getValue(), depth + 1);
            }
        } else if (value instanceof List || value instanceof Set) {
            to.writeByte(value instanceof List ? 'L' : 'S');
            Object[] items = ((Collection<?>) value).toArray();
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
                return from.readInt();
            case 'l':
                return from.readLong();
            case 'd':
                return from.readDouble();
            case 'f':
                return from.readFloat();
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
                    Object key = get(from, depth + 1);
                    map.put(key, get(from, depth + 1));
                }
                return map;
            case 'L':
            case 'S':
            case 'A':
                List<Object> items = new ArrayList<>();
                for (int left = size(from); left > 0; left--) {
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
