package aixgrade.compiler;

import aixgrade.wire.Control.Frame;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarFile;

/** The types that an import may name: the public ones of the image's exported packages and of jars. */
final class Index {
    private Index() {}

    static Frame frame(List<String> jars) throws IOException {
        TreeSet<String> names = new TreeSet<>();
        for (ModuleReference module : java.lang.module.ModuleFinder.ofSystem().findAll()) {
            if (module.descriptor().name().startsWith("aixgrade.")) {
                continue;
            }
            TreeSet<String> exported = new TreeSet<>();
            for (ModuleDescriptor.Exports exports : module.descriptor().exports()) {
                if (!exports.isQualified()) {
                    exported.add(exports.source());
                }
            }
            try (ModuleReader reader = module.open()) {
                reader.list().forEach(path -> take(names, path, exported));
            }
        }
        names.removeIf(name -> !published(name));
        for (String jar : jars) {
            try (JarFile file = new JarFile(jar)) {
                file.stream().forEach(entry -> take(names, entry.getName(), null));
            }
        }
        Frame frame = new Frame('I').number(names.size());
        for (String name : names) {
            frame.string(name);
        }
        return frame;
    }

    /** Top-level types only: a nested one is written with its outer type's name. */
    private static void take(TreeSet<String> names, String path, TreeSet<String> exported) {
        int slash = path.lastIndexOf('/');
        if (slash < 0 || !path.endsWith(".class") || path.indexOf('$') >= 0 || path.endsWith("-info.class")
                || path.startsWith("META-INF/")) {
            return;
        }
        if (exported == null || exported.contains(path.substring(0, slash).replace('/', '.'))) {
            names.add(path.substring(0, path.length() - ".class".length()).replace('/', '.'));
        }
    }

    private static boolean published(String name) {
        try {
            return Modifier.isPublic(Class.forName(name, false, ClassLoader.getSystemClassLoader()).getModifiers());
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
