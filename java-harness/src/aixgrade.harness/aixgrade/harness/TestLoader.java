package aixgrade.harness;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Defines the dataset's test classes in a named module and the solution's in this loader's unnamed
 * one.
 *
 * <p>One loader for both, because the published tests look their solution up by name through their
 * own loader. The module exports what a solution must see (its base class or interface) and hides
 * the rest. Classes come as bytes and are never a file or a resource, so that a solution cannot
 * read the answers out of them.
 */
final class TestLoader extends ClassLoader {
    private static final String MODULE = "aixgrade.tests";

    private final Set<String> packages;
    private final Map<String, byte[]> classes = new HashMap<>();
    private String solutionPackage;
    private final ModuleLayer.Controller controller;
    private final Module module;

    /** A module of these packages, each with {@code hidden}, {@code exported} or {@code open}. */
    TestLoader(Map<String, String> access) throws IOException {
        super(ClassLoader.getSystemClassLoader());
        packages = Set.copyOf(access.keySet());
        ModuleDescriptor.Builder builder = ModuleDescriptor.newModule(MODULE).packages(packages);
        for (Map.Entry<String, String> entry : access.entrySet()) {
            switch (entry.getValue()) {
                case "hidden" -> {}
                case "exported" -> builder.exports(entry.getKey());
                case "open" -> builder.exports(entry.getKey()).opens(entry.getKey());
                default -> throw new IOException("no such access: " + entry.getValue());
            }
        }
        ModuleLayer boot = ModuleLayer.boot();
        ModuleFinder finder = new OneModule(builder.build());
        Configuration resolved = boot.configuration().resolve(finder, ModuleFinder.of(), Set.of(MODULE));
        controller = ModuleLayer.defineModules(resolved, List.of(boot), new Ours(this));
        module = controller.layer().findModule(MODULE).orElseThrow();
        // Reads are added here and not required above: resolving them costs more than everything else.
        for (Module visible : boot.modules()) {
            if (!visible.getName().startsWith("aixgrade.") || visible.getName().equals("aixgrade.api")) {
                controller.addReads(module, visible);
            }
        }
        // The tests call their solution, and their helpers the dataset's libraries.
        controller.addReads(module, getUnnamedModule());
        controller.addReads(module, getParent().getUnnamedModule());
    }

    /** Takes classes of the tests. */
    void addTests(Map<String, byte[]> tests) throws IOException {
        add(tests, true);
    }

    /** Takes the solution's classes, {@code main} among them; none may pose as one of the tests'. */
    void addSolution(String main, Map<String, byte[]> solution) throws IOException {
        add(solution, false);
        solutionPackage = packageOf(main);
    }

    private void add(Map<String, byte[]> some, boolean tests) throws IOException {
        for (String name : some.keySet()) {
            if (packages.contains(packageOf(name)) != tests) {
                throw new IOException("the class " + name + " lies in the wrong package");
            }
        }
        classes.putAll(some);
    }

    /** Lets the harness, and nobody else, call what this class does not publish. */
    void openToHarness(Class<?> type) {
        controller.addOpens(module, type.getPackageName(), TestLoader.class.getModule());
    }

    /**
     * Finds what is ours by its package without asking the class path first: opening a dataset's jars takes longer
     * than most tests. A solution's class of any other package yields to theirs, so that it cannot pose as one.
     */
    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            String own = packageOf(name);
            if (classes.containsKey(name) && (packages.contains(own) || own.equals(solutionPackage))) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
            return super.loadClass(name, resolve);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    @Override
    protected Class<?> findClass(String moduleName, String name) {
        try {
            return moduleName == null || moduleName.equals(MODULE) ? findClass(name) : null;
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static String packageOf(String className) {
        int dot = className.lastIndexOf('.');
        return dot < 0 ? "" : className.substring(0, dot);
    }

    /** This loader, for every module. A class and not a lambda: see {@link Runner}. */
    private record Ours(ClassLoader loader) implements Function<String, ClassLoader> {
        @Override
        public ClassLoader apply(String module) {
            return loader;
        }
    }

    /** Finds the tests' module, whose classes this loader reads itself. */
    private record OneModule(ModuleDescriptor descriptor) implements ModuleFinder {
        @Override
        public Optional<ModuleReference> find(String name) {
            return name.equals(MODULE) ? Optional.of(reference()) : Optional.empty();
        }

        @Override
        public Set<ModuleReference> findAll() {
            return Set.of(reference());
        }

        private ModuleReference reference() {
            return new ModuleReference(descriptor, null) {
                @Override
                public ModuleReader open() {
                    throw new UnsupportedOperationException("classes come through the loader");
                }
            };
        }
    }
}
