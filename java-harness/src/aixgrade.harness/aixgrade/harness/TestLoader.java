package aixgrade.harness;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import jdk.internal.access.JavaLangAccess;
import jdk.internal.access.SharedSecrets;

/**
 * Defines the dataset's test classes in a named module and the solution's in this loader's unnamed one.
 *
 * <p>One loader for both, because the published tests look their solution up by name through their own
 * loader. The module exports what a solution must see (its base class or interface) and hides the rest.
 * Classes come as bytes and are never a file or a resource, so that a solution cannot read answers from
 * them.
 *
 * <p>The module is created as the JDK creates its own for proxies ({@link JavaLangAccess#defineModule}),
 * which the image opens to this module. The public way, a {@link ModuleLayer} of a resolved configuration,
 * uses streams, which in a fresh JVM take longer than most tests.
 */
final class TestLoader extends ClassLoader {
    private static final String MODULE = "aixgrade.tests";

    private final Set<String> packages;
    private final Map<String, byte[]> classes = new HashMap<>();
    private String solutionPackage;
    private final JavaLangAccess internals = SharedSecrets.getJavaLangAccess();
    private final Module module;

    /** A module of these packages, each with {@code hidden}, {@code exported} or {@code open}. */
    TestLoader(Map<String, String> access) throws IOException {
        super(ClassLoader.getSystemClassLoader());
        packages = Set.copyOf(access.keySet());
        // Not strict: checking names begins with a lambda, and the server created the names from classes
        // that it compiled.
        ModuleDescriptor.Builder builder = SharedSecrets.getJavaLangModuleAccess().newModuleBuilder(MODULE, false, Set.of());
        module = internals.defineModule(this, builder.packages(packages).build(), null);
        for (Map.Entry<String, String> entry : access.entrySet()) {
            String name = entry.getKey();
            switch (entry.getValue()) {
                case "hidden" -> {}
                case "exported" -> internals.addExports(module, name);
                case "open" -> {
                    internals.addExports(module, name);
                    // The solution and the dataset's libraries, which are in unnamed modules.
                    internals.addOpensToAllUnnamed(module, name);
                }
                default -> throw new IOException("unknown access: " + entry.getValue());
            }
        }
        for (Module visible : ModuleLayer.boot().modules()) {
            if (!visible.getName().startsWith("aixgrade.") || visible.getName().equals("aixgrade.api")) {
                internals.addReads(module, visible);
            }
        }
        // The tests call their solution, and their helpers the dataset's libraries.
        internals.addReads(module, getUnnamedModule());
        internals.addReads(module, getParent().getUnnamedModule());
    }

    /** Adds classes of the tests. */
    void addTests(Map<String, byte[]> tests) throws IOException {
        add(tests, true);
    }

    /** Adds the solution's classes, including {@code main}; none may replace one of the tests'. */
    void addSolution(String main, Map<String, byte[]> solution) throws IOException {
        add(solution, false);
        solutionPackage = packageOf(main);
    }

    private void add(Map<String, byte[]> some, boolean tests) throws IOException {
        for (String name : some.keySet()) {
            if (packages.contains(packageOf(name)) != tests) {
                throw new IOException("the class " + name + " is in the wrong package");
            }
        }
        classes.putAll(some);
    }

    /** Lets only the harness call this class's non-public members. */
    void openToHarness(Class<?> type) {
        internals.addOpens(module, type.getPackageName(), TestLoader.class.getModule());
    }

    /**
     * Finds our own classes by their package without searching the class path first: opening a dataset's
     * jars takes longer than most tests. For a solution's class in any other package, the class path has
     * priority, so that it cannot replace a library's class.
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
}
