package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.List;

public final class S08Test {
    public interface Solution {
        List<String> parseCsvLine(String line) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("plain fields", List.of("a", "b", "c"), s -> s.parseCsvLine("a,b,c"));
        cases.equal("empty fields", List.of("a", "", "c", ""), s -> s.parseCsvLine("a,,c,"));
        cases.equal("comma in quotes", List.of("Smith, Jo", "42"), s -> s.parseCsvLine("\"Smith, Jo\",42"));
        cases.equal("doubled quotes", List.of("say \"hi\"", "x"), s -> s.parseCsvLine("\"say \"\"hi\"\"\",x"));
        cases.equal("empty quoted field", List.of("", "x"), s -> s.parseCsvLine("\"\",x"));
        cases.equal("spaces are kept", List.of(" a ", " b"), s -> s.parseCsvLine(" a , b"));
        cases.equal("empty line", List.of(""), s -> s.parseCsvLine(""));
    }
}
