package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.Map;

public final class S23Test {
    public interface Solution {
        String fillTemplate(String template, Map<String, String> values) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("two values", "Dear Lin, order 7 is ready", s -> s.fillTemplate(
                "Dear ${user.name}, order ${order_id} is ready", Map.of("user.name", "Lin", "order_id", "7")));
        cases.equal("default value", "Hello guest", s -> s.fillTemplate("Hello ${name:guest}", Map.of()));
        cases.equal("a value wins over the default", "Hello Lin",
                s -> s.fillTemplate("Hello ${name:guest}", Map.of("name", "Lin")));
        cases.equal("empty default", "[]", s -> s.fillTemplate("[${name:}]", Map.of()));
        cases.equal("neither value nor default", "${a} and B", s -> s.fillTemplate("${a} and ${b}", Map.of("b", "B")));
        cases.equal("dollar and backslash in a value", "price $1 in C:\\tmp",
                s -> s.fillTemplate("price ${p} in ${dir}", Map.of("p", "$1", "dir", "C:\\tmp")));
        cases.equal("a value is not a template", "${b}-B",
                s -> s.fillTemplate("${a}-${b}", Map.of("a", "${b}", "b", "B")));
        cases.equal("no placeholder", "costs 5$ {net}", s -> s.fillTemplate("costs 5$ {net}", Map.of("net", "x")));
    }
}
