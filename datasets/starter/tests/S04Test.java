package aixgrade.starter;

import aixgrade.api.Cases;
import java.time.LocalDate;

public final class S04Test {
    public interface Solution {
        int workingDays(LocalDate start, LocalDate end) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("a whole week", 5, s -> s.workingDays(LocalDate.of(2024, 6, 3), LocalDate.of(2024, 6, 9)));
        cases.equal("one Friday", 1, s -> s.workingDays(LocalDate.of(2024, 6, 7), LocalDate.of(2024, 6, 7)));
        cases.equal("a weekend", 0, s -> s.workingDays(LocalDate.of(2024, 6, 8), LocalDate.of(2024, 6, 9)));
        cases.equal("Friday to Monday", 2, s -> s.workingDays(LocalDate.of(2024, 6, 7), LocalDate.of(2024, 6, 10)));
        cases.equal("a leap year", 262, s -> s.workingDays(LocalDate.of(2024, 1, 1), LocalDate.of(2024, 12, 31)));
        cases.equal("end before start", 0, s -> s.workingDays(LocalDate.of(2024, 6, 7), LocalDate.of(2024, 6, 3)));
    }
}
