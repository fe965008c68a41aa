package aixgrade.api;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies of the arguments of one call, for a method that returns a value.
 *
 * <p>What a solution changes in its copies, the tests do not see. Copied are arrays, the JDK's collections, maps, entries,
 * dates, points, buffers, counters and string builders, and what these contain; an object passed twice is one copy. Objects
 * of other classes, such as the tests' own, and the few of the JDK that have no copy of their type (a queue of fixed size)
 * are passed as they are.
 */
public final class Copies {
    private static final List<String> UNCHANGEABLE = List.of("Immutable", "Unmodifiable", "Empty", "Singleton");

    private final Map<Object, Object> copies = new IdentityHashMap<>();

    /** Copies for one call, none yet. */
    public Copies() {}

    /** The copy of an argument of this type; the argument itself if it cannot be changed or has no such copy. */
    public Object of(Object argument, Class<?> type) {
        Object copy = of(argument);
        return type.isInstance(copy) ? copy : argument;
    }

    /** The answer of the call; the argument itself if the answer is a copy that still equals it. */
    public Object back(Object answer) {
        if (answer != null) {
            for (Map.Entry<Object, Object> entry : copies.entrySet()) {
                if (entry.getValue() == answer && isSame(entry.getKey(), answer)) {
                    return entry.getKey();
                }
            }
        }
        return answer;
    }

    private static boolean isSame(Object argument, Object copy) {
        if (argument instanceof CharSequence) {
            return argument.toString().contentEquals((CharSequence) copy);
        }
        return Objects.deepEquals(argument, copy);
    }

    private Object of(Object original) {
        if (original == null) {
            return null;
        }
        Object known = copies.get(original);
        if (known != null) {
            return known;
        }
        Object copy;
        try {
            copy = copy(original);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // It has no copy.
            copy = original;
        }
        if (copy != original) {
            copies.put(original, copy);
        }
        return copy;
    }

    private Object copy(Object original) throws ReflectiveOperationException {
        Class<?> type = original.getClass();
        if (type.isArray()) {
            return array(original);
        }
        if (original instanceof Collection<?> all) {
            return collection(all);
        }
        if (original instanceof Map<?, ?> map) {
            return map(map);
        }
        if (original instanceof StringBuilder text) {
            return new StringBuilder(text);
        }
        if (original instanceof StringBuffer text) {
            return new StringBuffer(text);
        }
        if (original instanceof ByteBuffer buffer && !buffer.isReadOnly()) {
            return buffer(buffer);
        }
        if (original instanceof Map.Entry<?, ?> entry && isJdk(original)) {
            return new AbstractMap.SimpleEntry<Object, Object>(of(entry.getKey()), of(entry.getValue()));
        }
        if (original instanceof AtomicInteger number) {
            return new AtomicInteger(number.get());
        }
        if (original instanceof AtomicLong number) {
            return new AtomicLong(number.get());
        }
        Object clone = cloned(original);
        return clone == null ? original : clone;
    }

    private Object array(Object original) {
        int length = Array.getLength(original);
        Class<?> of = original.getClass().getComponentType();
        Object copy = Array.newInstance(of, length);
        System.arraycopy(original, 0, copy, 0, length);
        // Known before its elements are copied, because it may contain itself.
        copies.put(original, copy);
        if (copy instanceof Object[] elements) {
            for (int i = 0; i < length; i++) {
                elements[i] = of(elements[i], of);
            }
        }
        return copy;
    }

    private Object collection(Collection<?> original) throws ReflectiveOperationException {
        Object clone = cloned(original);
        if (clone == null) {
            clone = constructed(original, Collection.class);
        }
        if (clone != null) {
            copies.put(original, clone);
        }
        Object[] elements = original.toArray();
        boolean changed = false;
        for (int i = 0; i < elements.length; i++) {
            Object copy = of(elements[i]);
            changed |= copy != elements[i];
            elements[i] = copy;
        }
        if (clone instanceof Collection<?> some) {
            @SuppressWarnings("unchecked")
            Collection<Object> copy = (Collection<Object>) some;
            if (changed) {
                copy.clear();
                copy.addAll(Arrays.asList(elements));
            }
            return copy;
        }
        if (original.getClass().getName().equals("java.util.Arrays$ArrayList")) {
            return Arrays.asList(elements);
        }
        if (!isJdk(original) || !changed && isUnchangeable(original)) {
            return original;
        }
        return original instanceof Set ? new LinkedHashSet<>(Arrays.asList(elements)) : new ArrayList<>(Arrays.asList(elements));
    }

    private Object map(Map<?, ?> original) throws ReflectiveOperationException {
        Object clone = cloned(original);
        if (clone == null) {
            clone = constructed(original, Map.class);
        }
        if (clone != null) {
            copies.put(original, clone);
        }
        boolean changed = false;
        Map<Object, Object> content = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : original.entrySet()) {
            Object key = of(entry.getKey());
            Object value = of(entry.getValue());
            changed |= key != entry.getKey() || value != entry.getValue();
            content.put(key, value);
        }
        if (clone == null) {
            if (!isJdk(original) || !changed && isUnchangeable(original)) {
                return original;
            }
            return content;
        }
        @SuppressWarnings("unchecked")
        Map<Object, Object> copy = (Map<Object, Object>) clone;
        if (changed) {
            copy.clear();
            copy.putAll(content);
        }
        return copy;
    }

    private static ByteBuffer buffer(ByteBuffer original) {
        int size = original.capacity();
        ByteBuffer copy = original.isDirect() ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
        copy.put(original.duplicate().clear());
        return copy.order(original.order()).limit(original.limit()).position(original.position());
    }

    /** A clone by the JDK's own method; {@code null} if it has none or should be built anew. */
    private static Object cloned(Object original) throws ReflectiveOperationException {
        if (!(original instanceof Cloneable) || isInitialized(original)) {
            return null;
        }
        Class<?> type = ofJdk(original.getClass());
        return type == Object.class ? null : type.getMethod("clone").invoke(original);
    }

    /** A copy by a public constructor of its class; {@code null} if its class has none or is not the JDK's. */
    private static Object constructed(Object original, Class<?> kind) throws ReflectiveOperationException {
        Class<?> type = isInitialized(original) ? ofJdk(original.getClass()) : original.getClass();
        if (type.getClassLoader() != null || !Modifier.isPublic(type.getModifiers())) {
            return null;
        }
        Constructor<?> found = null;
        for (Constructor<?> constructor : type.getConstructors()) {
            Class<?>[] takes = constructor.getParameterTypes();
            if (takes.length == 1 && (takes[0] == type || found == null && takes[0] == kind)) {
                found = constructor;
            }
        }
        return found == null ? null : found.newInstance(original);
    }

    /**
     * Whether an object's class only fills it, as in {@code new ArrayList<>() {{ add(1); }}}. Such a class refers to the
     * tests that surround it, so its copy is of the JDK's class.
     */
    private static boolean isInitialized(Object original) {
        return !isJdk(original) && original.getClass().getDeclaredMethods().length == 0;
    }

    private static Class<?> ofJdk(Class<?> type) {
        Class<?> of = type;
        while (of.getClassLoader() != null || !Modifier.isPublic(of.getModifiers())) {
            of = of.getSuperclass();
        }
        return of;
    }

    private static boolean isJdk(Object original) {
        return original.getClass().getClassLoader() == null;
    }

    /** Whether a collection of the JDK that is no public class refuses changes. */
    private static boolean isUnchangeable(Object original) {
        String name = original.getClass().getName();
        return UNCHANGEABLE.stream().anyMatch(name::contains);
    }
}
