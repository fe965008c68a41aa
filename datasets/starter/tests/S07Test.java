package aixgrade.starter;

import aixgrade.api.Cases;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

public final class S07Test {
    public interface Solution {
        List<String> tail(Path file, int n) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("last two of four", List.of("three", "four"),
                s -> s.tail(file("s07-a.txt", "one\ntwo\nthree\nfour"), 2));
        cases.equal("fewer lines than asked for", List.of("one", "two"),
                s -> s.tail(file("s07-b.txt", "one\ntwo"), 10));
        cases.equal("line break at the end", List.of("two", "three"),
                s -> s.tail(file("s07-c.txt", "one\ntwo\nthree\n"), 2));
        cases.equal("empty lines count", List.of("", "", "end"), s -> s.tail(file("s07-d.txt", "start\n\n\nend\n"), 3));
        cases.equal("UTF-8", List.of("\u00e4rger", "\u65e5\u5fd7"),
                s -> s.tail(file("s07-e.txt", "x\n\u00e4rger\n\u65e5\u5fd7\n"), 2));
        cases.equal("no lines wanted", List.of(), s -> s.tail(file("s07-f.txt", "one\ntwo\n"), 0));
        cases.fails("negative n", IllegalArgumentException.class, s -> s.tail(file("s07-g.txt", "one\n"), -1));
    }

    private static Path file(String name, String text) throws Exception {
        return Files.write(Path.of(name), text.getBytes(StandardCharsets.UTF_8));
    }
}
