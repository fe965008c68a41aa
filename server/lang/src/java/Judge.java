package aixgrade.programs;

import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;

/** Runs the dataset's class {@code Main}, whose {@code Solution} calls the solver. */
public final class Judge {
    private Judge() {}

    public static void main(String[] arguments) throws Exception {
        Values.open();
        try {
            Class.forName("Main").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            String text = String.valueOf(e.getCause());
            Values.send('F', text.substring(0, Math.min(text.length(), 1000)).getBytes(StandardCharsets.UTF_8));
            Runtime.getRuntime().halt(1);
        }
        Values.send('E', new byte[0]);
        Values.send('R', Values.receive());
    }
}
