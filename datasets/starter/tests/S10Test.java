package aixgrade.starter;

import aixgrade.api.Cases;

public final class S10Test {
    public interface Solution {
        String camelToSnake(String name) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("two words", "user_name", s -> s.camelToSnake("userName"));
        cases.equal("starts with a capital", "order_item_count", s -> s.camelToSnake("OrderItemCount"));
        cases.equal("one word", "name", s -> s.camelToSnake("name"));
        cases.equal("run of capitals at the start", "http_server_port", s -> s.camelToSnake("HTTPServerPort"));
        cases.equal("run of capitals at the end", "parse_url", s -> s.camelToSnake("parseURL"));
        cases.equal("digit", "line2_text", s -> s.camelToSnake("line2Text"));
        cases.equal("null", null, s -> s.camelToSnake(null));
    }
}
