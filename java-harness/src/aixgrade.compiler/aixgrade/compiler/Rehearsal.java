package aixgrade.compiler;

import aixgrade.wire.Control;
import aixgrade.wire.Control.Frame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;

/**
 * Compiles a class with many language features, and an invalid one, while the image is built, so that the compiler's
 * own classes go into the image's archive.
 */
final class Rehearsal {
    private static final String SOURCE = """
            package rehearsal;

            import java.util.*;
            import java.util.function.*;
            import java.util.stream.Collectors;

            public class Source<T extends Comparable<T>> extends AbstractList<T> implements Iterable<T> {
                private enum Kind { ONE, TWO { @Override int number() { return 2; } }; int number() { return 1; } }
                private record Pair<A, B>(A first, B second) {}
                private static final Map<String, int[]> KNOWN = new HashMap<>();
                private final List<T> items = new ArrayList<>();

                @Override public T get(int place) { return items.get(place); }
                @Override public int size() { return items.size(); }

                public static String joined(List<String> texts, String... more) throws Exception {
                    StringBuilder all = new StringBuilder();
                    for (String text : texts) {
                        switch (text) {
                            case "a", "b" -> all.append(text + 1 + 'c');
                            default -> { if (text == null || text.isEmpty()) continue; else all.append(text.charAt(0)); }
                        }
                    }
                    int count = 0;
                    do { count++; } while (count < more.length && !(more[count] instanceof String s && s.length() > 2));
                    try (java.io.StringReader in = new java.io.StringReader("x")) {
                        all.append((char) in.read());
                    } catch (RuntimeException | java.io.IOException e) {
                        throw new IllegalStateException("no " + e.getMessage(), e);
                    } finally {
                        KNOWN.computeIfAbsent("k", k -> new int[] {1, 2, 3})[0] += Kind.TWO.number();
                    }
                    Function<Pair<String, Integer>, String> say = pair -> pair.first() + "=" + pair.second();
                    Supplier<Runnable> nothing = () -> new Runnable() { @Override public void run() { } };
                    nothing.get().run();
                    return texts.stream().filter(Objects::nonNull).map(String::trim).sorted(Comparator.reverseOrder())
                            .collect(Collectors.toMap(x -> x, x -> (long) x.length(), Long::sum)).entrySet().stream()
                            .map(e -> say.apply(new Pair<>(e.getKey(), e.getValue().intValue())))
                            .collect(Collectors.joining(", ", "[", "]")) + all;
                }
            }
            """;

    private Rehearsal() {}

    public static void main(String[] args) throws Exception {
        // Standard output instead of the control descriptor, through the same code.
        Control.on(1);
        ByteArrayOutputStream requests = new ByteArrayOutputStream();
        requests.writeBytes(new Frame('L').string("none").number(0).whole());
        for (String source : new String[] {SOURCE, SOURCE.replace("int count", "Missing count")}) {
            Frame request = new Frame('C').string("none").number(0);
            String[] options = {"-proc:none", "-nowarn", "-Xlint:none", "-g", "-XDstringConcat=inline"};
            request.number(options.length);
            for (String option : options) {
                request.string(option);
            }
            requests.writeBytes(request.number(1).string("rehearsal/Source.java").string(source).whole());
        }
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        new Server(new Control(new ByteArrayInputStream(requests.toByteArray()), answers)).serve();
        System.out.println(answers.size());
    }
}
