package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.LinkedHashMap;
import java.util.Map;

public final class S09Test {
    public interface Solution {
        String toQueryString(Map<String, String> params) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("in the order of the map", "z=1&a=2&m=3",
                s -> s.toQueryString(params("z", "1", "a", "2", "m", "3")));
        cases.equal("space", "q=red%20shoes", s -> s.toQueryString(params("q", "red shoes")));
        cases.equal("reserved characters", "a%26b=c%3Dd%2Be", s -> s.toQueryString(params("a&b", "c=d+e")));
        cases.equal("UTF-8", "city=Z%C3%BCrich%E5%B8%82", s -> s.toQueryString(params("city", "Z\u00fcrich\u5e02")));
        cases.equal("null value", "flag&x=1", s -> s.toQueryString(params("flag", null, "x", "1")));
        cases.equal("empty value", "x=", s -> s.toQueryString(params("x", "")));
        cases.equal("no parameters", "", s -> s.toQueryString(params()));
        cases.equal("null map", "", s -> s.toQueryString(null));
    }

    private static Map<String, String> params(String... namesAndValues) {
        Map<String, String> params = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            params.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return params;
    }
}
