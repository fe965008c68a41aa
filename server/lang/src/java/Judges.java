package aixgrade.programs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A judge for one sample after another. Each frame has the classes of a task's tests, for a loader of their own. */
public final class Judges {
    private Judges() {}

    public static void main(String[] arguments) {
        Values.open();
        try {
            for (;;) {
                judge(new Classes(Judges.class.getClassLoader()).add(Values.receive()));
            }
        } catch (IOException e) {
            // The other side has closed the connection.
            Runtime.getRuntime().halt(0);
        }
    }

    private static void judge(Classes tests) throws IOException {
        try {
            tests.runMain();
        } catch (Throwable e) {
            String text = String.valueOf(e);
            Values.send('F', text.substring(0, Math.min(text.length(), 1000)).getBytes(StandardCharsets.UTF_8));
            return;
        }
        Values.send('E', new byte[0]);
        Values.send('R', Values.receive());
    }
}
