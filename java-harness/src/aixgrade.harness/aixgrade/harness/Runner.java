package aixgrade.harness;

import aixgrade.api.Tape;
import aixgrade.wire.Control;
import aixgrade.wire.Control.Frame;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The program of one sandboxed JVM: sends hello, waits for one job, runs it, sends one result, halts.
 *
 * <p>The server starts it in advance, so everything that does not depend on the job happens before the hello. Only the
 * result frame with the job's nonce can report a pass.
 */
final class Runner {
    /** Maximum length of a message in characters. Longer ones are cut, because they are only displayed. */
    static final int LONGEST_TEXT = 2000;

    /** Maximum number of listed cases. More are counted but not listed. */
    private static final int MOST_CASES_LISTED = 500;

    /**
     * Maximum number of characters in the listed cases' names and details together; the server rejects frames of over 1
     * MiB.
     */
    private static final int LONGEST_LIST = 200_000;

    /** Reserved memory that is released when the heap is full, so that reporting it does not fail. */
    private static byte[] reserve = new byte[1 << 20];

    public static void main(String[] args) {
        try {
            serve(Control.on(Integer.parseInt(args[0])), Integer.parseInt(args[1]));
        } catch (Throwable ours) {
            // Shown with the engine error; no result frame was sent, so nothing passes.
            System.err.println("aixgrade.harness: " + ours);
        }
        // Not exit, which would run a solution's shutdown hooks.
        Runtime.getRuntime().halt(0);
    }

    /** Runs jobs: normally one; more only in the fast mode, and then only harmless ones. */
    static void serve(Control control, int jobs) throws Exception {
        Preparation preparation = Preparation.read(control.read());
        TestLoader tests = loader(preparation);
        for (String name : preparation.warm) {
            Class.forName(name, true, tests);
        }
        write(preparation.files);
        control.write(new Frame('H').number(Control.PROTOCOL).string(System.getProperty("java.vm.version")));
        for (int left = jobs; left > 0; left--) {
            DataInputStream in = control.read();
            if (in == null) {
                // The server had no work for this runner after all.
                return;
            }
            Job job = Job.read(in);
            tests.addTests(job.tests);
            tests.addSolution(job.outputClass, job.solution);
            Defaults defaults = job.watch ? Defaults.now(Defaults.concernSecurity(job.solution.values())) : null;
            if (job.tape == 1) {
                Tape.record();
            } else if (job.tape == 2) {
                Tape.play(job.answers);
            }
            Result result = run(job, tests);
            byte[] answers = job.tape == 1 ? Tape.recorded() : null;
            reserve = null;
            List<String> changed = defaults == null ? List.of() : defaults.changed();
            int threads = leftOver();
            // The nonce arrives only now, so that the tests never ran in a process that contains it. Threads
            // that still run are counted before, and make a pass suspicious.
            control.write(new Frame('E'));
            DataInputStream handed = control.read();
            if (handed == null || handed.readUnsignedByte() != 'N') {
                throw new IOException("no nonce");
            }
            control.write(result.frame(Control.string(handed), changed, threads, answers));
            if (left > 1) {
                tests = loader(preparation);
            }
        }
    }

    private static TestLoader loader(Preparation preparation) throws IOException {
        TestLoader tests = new TestLoader(preparation.packages);
        tests.addTests(preparation.classes);
        return tests;
    }

    /**
     * Writes the working folder, with the old streams: the new file channels take longer to load than to
     * write.
     */
    private static void write(Map<String, byte[]> files) throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            File path = new File(file.getKey());
            if (path.getParentFile() != null && !path.getParentFile().isDirectory() && !path.getParentFile().mkdirs()) {
                throw new IOException("cannot create the folder " + path.getParent());
            }
            try (FileOutputStream out = new FileOutputStream(path)) {
                out.write(file.getValue());
            }
        }
    }

    static Result run(Job job, TestLoader tests) throws InterruptedException {
        Attempt attempt = new Attempt(job, tests);
        Thread thread = new Thread(null, attempt, "tests");
        thread.start();
        thread.join();
        return attempt.result == null ? Result.error("the thread that ran the tests was stopped") : attempt.result;
    }

    /** A class instead of a lambda: the first lambda of a JVM costs several milliseconds. */
    private static final class Attempt implements Runnable {
        private final Job job;
        private final TestLoader tests;
        private Result result;

        Attempt(Job job, TestLoader tests) {
            this.job = job;
            this.tests = tests;
        }

        @Override
        public void run() {
            result = attempt(job, tests);
        }
    }

    private static Result attempt(Job job, TestLoader tests) {
        try {
            return job.kind.equals("aixbench") ? Published.run(job, tests) : Collector.run(job, tests);
        } catch (OutOfMemoryError e) {
            reserve = null;
            return Result.outOfMemory(e.getMessage());
        } catch (Throwable e) {
            return Result.error(say(e));
        }
    }

    /** The bounded text of a throwable, even if its methods fail. */
    static String say(Throwable e) {
        String text = e.getClass().getName();
        try {
            String message = e.getMessage();
            if (message != null) {
                text += ": " + message;
            }
        } catch (Throwable ignored) {
            text += " (its message cannot be read)";
        }
        return cut(text);
    }

    static String cut(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
    }

    /** Threads that the solution started and left running, including daemons. */
    private static int leftOver() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        Thread[] all = new Thread[top.activeCount() + 16];
        int count = top.enumerate(all, true);
        int others = 0;
        for (int i = 0; i < count; i++) {
            if (all[i] != Thread.currentThread()) {
                others++;
            }
        }
        return others;
    }

    /** What every output of a dataset needs, sent before the job. */
    record Preparation(Map<String, String> packages, Map<String, byte[]> classes, List<String> warm,
            Map<String, byte[]> files) {
        static Preparation read(DataInputStream in) throws IOException {
            if (in == null || in.readUnsignedByte() != 'T') {
                throw new IOException("no preparation");
            }
            Map<String, String> packages = new HashMap<>();
            for (int left = in.readInt(); left > 0; left--) {
                packages.put(Control.string(in), Control.string(in));
            }
            Map<String, byte[]> classes = map(in);
            List<String> warm = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                warm.add(Control.string(in));
            }
            return new Preparation(packages, classes, warm, map(in));
        }
    }

    /**
     * The job, as sent by the server. {@code watch} says whether it could change the JVM's defaults:
     * reading them loads the time zones, which takes longer than most tests. {@code tape} is 0, or 1 to
     * record the solution's answers, or 2 to replay them from {@code answers}.
     */
    record Job(String kind, String testClass, String basePackage, String prefix, String outputClass,
            boolean watch, int tape, byte[] answers, Map<String, byte[]> tests, Map<String, byte[]> solution) {
        static Job read(DataInputStream in) throws IOException {
            if (in.readUnsignedByte() != 'J') {
                throw new IOException("not a job");
            }
            return new Job(Control.string(in), Control.string(in), Control.string(in), Control.string(in),
                    Control.string(in), in.readInt() != 0, in.readInt(), Control.bytes(in), map(in), map(in));
        }
    }

    private static Map<String, byte[]> map(DataInputStream in) throws IOException {
        Map<String, byte[]> map = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            map.put(Control.string(in), Control.bytes(in));
        }
        return map;
    }

    /** How the tests ended. */
    static final class Result {
        /** One of {@code finished}, {@code error}, {@code memory}, {@code no_counts}. */
        private final String outcome;
        private final int passed;
        private final int total;
        private final String message;
        private final List<Case> cases;

        Result(String outcome, int passed, int total, String message, List<Case> cases) {
            this.outcome = outcome;
            this.passed = passed;
            this.total = total;
            this.message = message;
            this.cases = new ArrayList<>();
            int length = 0;
            for (Case one : cases) {
                length += one.name.length() + one.detail.length();
                if (this.cases.size() == MOST_CASES_LISTED || length > LONGEST_LIST) {
                    break;
                }
                this.cases.add(one);
            }
        }

        static Result error(String message) {
            return new Result("error", 0, 0, message, List.of());
        }

        static Result outOfMemory(String message) {
            return new Result("memory", 0, 0, message == null ? "" : cut(message), List.of());
        }

        Frame frame(String nonce, List<String> changed, int threads, byte[] answers) throws IOException {
            Frame frame = new Frame('R').string(nonce).string(outcome).number(passed).number(total).string(message);
            frame.number(cases.size());
            for (Case one : cases) {
                frame.string(one.name).number(one.passed ? 1 : 0).string(one.detail);
            }
            frame.number(changed.size());
            for (String what : changed) {
                frame.string(what);
            }
            return frame.number(threads).number(answers == null ? 0 : 1).bytes(answers == null ? new byte[0] : answers);
        }
    }

    /** The result of one test case. */
    record Case(String name, boolean passed, String detail) {}
}
