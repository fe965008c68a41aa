package aixgrade.programs;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Loads classes that arrived in frames. Each loader has its own copies, with static fields of their own. */
final class Classes extends ClassLoader {
    private final Map<String, byte[]> files = new HashMap<>();

    Classes(ClassLoader parent) {
        super(parent);
    }

    /** Adds the classes of a frame: their number, then for each its name and its bytes, both with their lengths. */
    Classes add(byte[] frame) throws IOException {
        DataInputStream data = new DataInputStream(new ByteArrayInputStream(frame));
        for (int left = data.readInt(); left > 0; left--) {
            String name = new String(data.readNBytes(data.readInt()), StandardCharsets.UTF_8);
            files.put(name, data.readNBytes(data.readInt()));
        }
        return this;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] file = files.get(name);
        if (file == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, file, 0, file.length);
    }

    /** Runs the program {@code Main} without arguments, and throws what it throws. */
    void runMain() throws Throwable {
        try {
            loadClass("Main").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
