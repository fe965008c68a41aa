package aixgrade.compiler;

import aixgrade.wire.Control;
import aixgrade.wire.Control.Frame;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * The warm compiler: one sandboxed JVM that compiles one request after another until it is stopped.
 *
 * <p>Requests are {@code L} (store these classes under a name, for class paths), {@code C} (compile) and
 * {@code I} (list the types that an import may name). It keeps nothing else between requests.
 */
final class Server {
    /** Maximum number of errors in a response. A broken file can have thousands. */
    private static final int MOST_DIAGNOSTICS = 30;

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final Map<String, Library> libraries = new HashMap<>();
    /** The files of the JDK and the jars, by list of jars, so that their content is looked up once. */
    private final Map<List<String>, StandardJavaFileManager> files = new HashMap<>();
    private final Control control;

    Server(Control control) {
        this.control = control;
    }

    public static void main(String[] args) {
        try {
            Control control = Control.on(Integer.parseInt(args[0]));
            control.write(new Frame('H').number(Control.PROTOCOL).string(System.getProperty("java.vm.version")));
            new Server(control).serve();
        } catch (Throwable e) {
            System.err.println("aixgrade.compiler: " + e);
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    void serve() throws IOException {
        for (DataInputStream in = control.read(); in != null; in = control.read()) {
            char kind = (char) in.readUnsignedByte();
            switch (kind) {
                case 'L' -> {
                    libraries.put(Control.string(in), new Library(map(in)));
                    control.write(new Frame('L'));
                }
                case 'I' -> control.write(Index.frame(strings(in)));
                case 'C' -> control.write(compile(in));
                default -> throw new IOException("unknown request of kind " + kind);
            }
        }
    }

    private Frame compile(DataInputStream in) throws IOException {
        String library = Control.string(in);
        List<String> jars = strings(in);
        List<String> options = strings(in);
        Map<String, String> sources = new HashMap<>();
        for (Map.Entry<String, byte[]> source : map(in).entrySet()) {
            sources.put(source.getKey(), new String(source.getValue(), java.nio.charset.StandardCharsets.UTF_8));
        }
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        boolean fine;
        String failure = "";
        Memory memory = new Memory(files(jars), libraries.get(library));
        StringWriter out = new StringWriter();
        try {
            fine = compiler.getTask(out, memory, said, options, null, Memory.sources(sources)).call();
            if (!fine && said.getDiagnostics().isEmpty()) {
                failure = exceeded(out.toString(), "");
            }
        } catch (OutOfMemoryError | StackOverflowError | RuntimeException e) {
            // The source exhausted the compiler, which is the output's failure, not an engine error.
            fine = false;
            failure = exceeded(e.toString(), e.toString());
        }
        Frame frame = new Frame('D').number(fine ? 1 : 0).string(failure);
        List<Diagnostic<? extends JavaFileObject>> shown = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> one : said.getDiagnostics()) {
            if (one.getKind() == Diagnostic.Kind.ERROR && shown.size() < MOST_DIAGNOSTICS) {
                shown.add(one);
            }
        }
        frame.number(shown.size());
        for (Diagnostic<? extends JavaFileObject> one : shown) {
            frame.string(one.getSource() == null ? "" : one.getSource().getName());
            frame.number((int) one.getLineNumber()).number((int) one.getColumnNumber());
            frame.string(one.getCode()).string(one.getMessage(Locale.ENGLISH));
        }
        Map<String, byte[]> classes = fine ? memory.classes() : Map.of();
        frame.number(classes.size());
        for (Map.Entry<String, byte[]> one : classes.entrySet()) {
            frame.string(one.getKey()).bytes(one.getValue());
        }
        return frame;
    }

    /**
     * The limit that the compiler reached: {@code stack}, {@code memory}, or {@code otherwise}. It usually
     * catches such errors itself and writes their stack traces to its log, without a diagnostic.
     */
    private static String exceeded(String log, String otherwise) {
        if (log.contains("java.lang.StackOverflowError")) {
            return "stack";
        }
        return log.contains("java.lang.OutOfMemoryError") ? "memory" : otherwise;
    }

    private StandardJavaFileManager files(List<String> jars) throws IOException {
        StandardJavaFileManager known = files.get(jars);
        if (known == null) {
            known = compiler.getStandardFileManager(null, Locale.ROOT, null);
            known.setLocation(StandardLocation.CLASS_PATH, jars.stream().map(File::new).toList());
            files.put(jars, known);
        }
        return known;
    }

    private static List<String> strings(DataInputStream in) throws IOException {
        List<String> list = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            list.add(Control.string(in));
        }
        return list;
    }

    private static Map<String, byte[]> map(DataInputStream in) throws IOException {
        Map<String, byte[]> map = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            map.put(Control.string(in), Control.bytes(in));
        }
        return map;
    }
}
