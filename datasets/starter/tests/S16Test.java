package aixgrade.starter;

import aixgrade.api.Cases;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public final class S16Test {
    public interface Solution {
        Map<String, Object> readProperties(Object bean) throws Exception;
    }

    public static class Person {
        public String getName() {
            return "Lin";
        }

        public int getAge() {
            return 41;
        }

        public boolean isActive() {
            return true;
        }
    }

    public static class Employee extends Person {
        public String getTeam() {
            return null;
        }
    }

    public static class Tricky {
        public static String getInstanceCount() {
            return "static";
        }

        public String get() {
            return "no name";
        }

        public boolean is() {
            return true;
        }

        public String getPart(int index) {
            return "parameter";
        }

        public void getReady() {}

        public String isText() {
            return "not a boolean";
        }

        protected String getSecret() {
            return "protected";
        }

        public String name() {
            return "no prefix";
        }

        public String getFullName() {
            return "Lin Wu";
        }
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("getters of all kinds", Map.of("name", "Lin", "age", 41, "active", true),
                s -> s.readProperties(new Person()));
        cases.equal("sorted by name", List.of("active", "age", "name", "team"),
                s -> new ArrayList<>(s.readProperties(new Employee()).keySet()));
        cases.equal("inherited", "Lin", s -> s.readProperties(new Employee()).get("name"));
        cases.check("null is kept", s -> {
            Map<String, Object> properties = s.readProperties(new Employee());
            return properties.containsKey("team") && properties.get("team") == null;
        });
        cases.equal("everything else is left out", Map.of("fullName", "Lin Wu"), s -> s.readProperties(new Tricky()));
    }
}
