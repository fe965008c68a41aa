package aixgrade.starter;

import aixgrade.api.Cases;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

public final class S22Test {
    public interface Solution {
        void writeAtomically(Path target, String text) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("a new file in UTF-8", "h\u00e9llo \u4f60\u597d\n", s -> {
            Path target = folder("s22-new").resolve("a.txt");
            s.writeAtomically(target, "h\u00e9llo \u4f60\u597d\n");
            return read(target);
        });
        cases.equal("an existing file is replaced", "new", s -> {
            Path target = Files.write(folder("s22-old").resolve("a.txt"),
                    "something longer".getBytes(StandardCharsets.UTF_8));
            s.writeAtomically(target, "new");
            return read(target);
        });
        cases.equal("missing folders are created", "deep", s -> {
            Path target = folder("s22-deep").resolve("x").resolve("y").resolve("a.txt");
            s.writeAtomically(target, "deep");
            return read(target);
        });
        cases.equal("plain relative file name", "plain", s -> {
            Path target = Path.of("s22-plain.txt");
            s.writeAtomically(target, "plain");
            return read(target);
        });
        cases.equal("nothing is left over", List.of("a.txt"), s -> {
            Path folder = folder("s22-tidy");
            s.writeAtomically(folder.resolve("a.txt"), "text");
            return names(folder);
        });
        cases.fails("a failure is passed on", IOException.class, s -> {
            s.writeAtomically(blocked(folder("s22-fail")), "text");
            return null;
        });
        cases.equal("nothing is left over after a failure", List.of("blocked"), s -> {
            Path folder = folder("s22-fail-tidy");
            try {
                s.writeAtomically(blocked(folder), "text");
            } catch (IOException expected) {
                // what is left in the folder is what this case looks at
            }
            return names(folder);
        });
    }

    private static Path folder(String name) throws IOException {
        return Files.createDirectories(Path.of(name));
    }

    /** A target that no file can replace: a folder with something in it. */
    private static Path blocked(Path folder) throws IOException {
        Path target = Files.createDirectories(folder.resolve("blocked"));
        Files.write(target.resolve("inside.txt"), new byte[] {1});
        return target;
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }
}
