package aixgrade.programs;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

/**
 * Answers calls of one method of the sample's class {@code Solution}. Arguments: the method's name; then "both" if the
 * sample's classes arrive in a frame, and the published program runs after the last call.
 */
public final class Solver {
    private Solver() {}

    public static void main(String[] arguments) throws Throwable {
        Values.open();
        Classes program = null;
        try {
            if (arguments.length == 1) {
                serve(arguments[0], Class.forName("Solution"));
            } else {
                byte[] sample = Values.receive();
                // The sample sees only Java's own classes. The published program gets fresh copies of its classes.
                ClassLoader parent = ClassLoader.getPlatformClassLoader();
                byte[] tests = serve(arguments[0], new Classes(parent).add(sample).loadClass("Solution"));
                program = new Classes(parent).add(sample).add(tests);
            }
        } catch (Values.NotPlain e) {
            tell('U', e);
        } catch (InvocationTargetException e) {
            tell('X', e.getCause());
        } catch (IOException e) {
            // The other side has closed the connection. The code is not 0, with which a published program passes.
            Runtime.getRuntime().halt(1);
        }
        // As with `java Main`, the process ends with code 0 unless this throws.
        program.runMain();
    }

    /** Answers calls until another frame arrives, and returns its content. */
    private static byte[] serve(String name, Class<?> type) throws Exception {
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object solution = constructor.newInstance();
        for (;;) {
            byte[] received = Values.receive();
            if (Values.kind != 'C') {
                return received;
            }
            Object[] given = (Object[]) Values.load(received);
            Method method = null;
            for (Method each : type.getDeclaredMethods()) {
                if (each.getName().equals(name) && each.getParameterCount() == given.length && !each.isBridge()) {
                    method = each;
                }
            }
            if (method == null) {
                throw new Values.NotPlain("no method " + name);
            }
            method.setAccessible(true);
            byte[][] before = Values.dumpChangeable(given);
            Object answer = method.invoke(solution, given);
            Values.send('A', Values.dumpAnswer(answer, given, before));
        }
    }

    private static void tell(char kind, Throwable failure) throws IOException {
        String text = String.valueOf(failure);
        Values.send(kind, text.substring(0, Math.min(text.length(), 1000)).getBytes(StandardCharsets.UTF_8));
        Runtime.getRuntime().halt(1);
    }
}
