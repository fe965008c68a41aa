package aixgrade.starter;

import aixgrade.api.Cases;
import java.time.LocalDate;

public final class S13Test {
    public interface Solution {
        int ageOn(LocalDate birthday, LocalDate day) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("day before the birthday", 29, s -> s.ageOn(LocalDate.of(1990, 5, 20), LocalDate.of(2020, 5, 19)));
        cases.equal("on the birthday", 30, s -> s.ageOn(LocalDate.of(1990, 5, 20), LocalDate.of(2020, 5, 20)));
        cases.equal("day of birth", 0, s -> s.ageOn(LocalDate.of(2001, 12, 31), LocalDate.of(2001, 12, 31)));
        cases.equal("a leap day shifts the days of the year", 0,
                s -> s.ageOn(LocalDate.of(1999, 3, 1), LocalDate.of(2000, 2, 29)));
        cases.equal("born on 29 February, 28 February of a common year", 0,
                s -> s.ageOn(LocalDate.of(2000, 2, 29), LocalDate.of(2001, 2, 28)));
        cases.equal("born on 29 February, 1 March of a common year", 1,
                s -> s.ageOn(LocalDate.of(2000, 2, 29), LocalDate.of(2001, 3, 1)));
        cases.equal("born on 29 February, leap year", 4,
                s -> s.ageOn(LocalDate.of(2000, 2, 29), LocalDate.of(2004, 2, 29)));
        cases.fails("before birth", IllegalArgumentException.class,
                s -> s.ageOn(LocalDate.of(2001, 1, 2), LocalDate.of(2001, 1, 1)));
    }
}
