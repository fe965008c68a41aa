package aixgrade.compiler;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/** Sources, class path and results in memory; only the JDK and jars are read from files. */
final class Memory extends ForwardingJavaFileManager<StandardJavaFileManager> {
    private final Library library;
    private final Map<String, byte[]> classes = new TreeMap<>();

    /** Uses {@code files}, which stay open for the next compilations. */
    Memory(StandardJavaFileManager files, Library library) {
        super(files);
        this.library = library;
    }

    /** The compiled classes, by binary name. */
    Map<String, byte[]> classes() {
        return classes;
    }

    /** Sources by file name, in the compiler's form. */
    static List<JavaFileObject> sources(Map<String, String> texts) {
        List<JavaFileObject> list = new ArrayList<>();
        new TreeMap<>(texts).forEach((name, text) -> list.add(
                new SimpleJavaFileObject(URI.create("memory:///" + name), Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return text;
                    }

                    @Override
                    public String getName() {
                        return name;
                    }
                }));
        return list;
    }

    @Override
    public Iterable<JavaFileObject> list(Location location, String packageName, Set<Kind> kinds, boolean recurse)
            throws IOException {
        Iterable<JavaFileObject> found = super.list(location, packageName, kinds, recurse);
        if (library == null || location != StandardLocation.CLASS_PATH || !kinds.contains(Kind.CLASS)) {
            return found;
        }
        List<JavaFileObject> both = new ArrayList<>(library.in(packageName));
        found.forEach(both::add);
        return both;
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        return file instanceof Compiled own ? own.name : super.inferBinaryName(location, file);
    }

    @Override
    public boolean isSameFile(FileObject a, FileObject b) {
        return a == b || !(a instanceof SimpleJavaFileObject) && !(b instanceof SimpleJavaFileObject)
                && super.isSameFile(a, b);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(Location location, String className, Kind kind, FileObject sibling) {
        return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/') + kind.extension), kind) {
            @Override
            public OutputStream openOutputStream() {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                return new FilterOutputStream(bytes) {
                    @Override
                    public void write(byte[] part, int from, int length) {
                        bytes.write(part, from, length);
                    }

                    @Override
                    public void close() {
                        classes.put(className, bytes.toByteArray());
                    }
                };
            }
        };
    }

    /** A class that was compiled before. */
    static final class Compiled extends SimpleJavaFileObject {
        private final String name;
        private final byte[] bytes;

        Compiled(String name, byte[] bytes) {
            super(URI.create("memory:///" + name.replace('.', '/') + ".class"), Kind.CLASS);
            this.name = name;
            this.bytes = bytes;
        }

        @Override
        public InputStream openInputStream() {
            return new ByteArrayInputStream(bytes);
        }
    }
}
