package aixgrade.harness;

import aixgrade.wire.Control.Frame;
import java.util.List;
import java.util.Map;

/**
 * Goes through what every runner goes through, without a job, while the image is made: the classes
 * that it loads go into the image's archive, which spares each runner the work.
 */
final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] args) throws Exception {
        TestLoader tests = new TestLoader(Map.of("a", "hidden", "b", "exported", "c", "open"));
        tests.addTests(Map.of());
        tests.addSolution(Map.of());
        Defaults defaults = Defaults.now(false);
        for (String kind : List.of("aixbench", "aixgrade")) {
            Runner.Job job = new Runner.Job("", kind, "a.None", "", "", "None", Map.of(), Map.of());
            Runner.Result result = Runner.run(job, tests);
            result.frame("", defaults.changed(), 0);
        }
        new Frame('H').number(0).string("");
    }
}
