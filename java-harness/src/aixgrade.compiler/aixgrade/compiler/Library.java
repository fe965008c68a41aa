package aixgrade.compiler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaFileObject;

/** Compiled classes for class paths, found by package. */
final class Library {
    private final Map<String, List<JavaFileObject>> byPackage = new HashMap<>();

    /** Adds classes by their binary name. */
    Library(Map<String, byte[]> classes) {
        classes.forEach((name, bytes) -> byPackage
                .computeIfAbsent(name.substring(0, Math.max(0, name.lastIndexOf('.'))), p -> new ArrayList<>())
                .add(new Memory.Compiled(name, bytes)));
    }

    /** The classes of one package. */
    List<JavaFileObject> in(String packageName) {
        return byPackage.getOrDefault(packageName, List.of());
    }
}
