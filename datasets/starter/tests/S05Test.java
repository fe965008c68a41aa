package aixgrade.starter;

import aixgrade.api.Cases;

public final class S05Test {
    public interface Solution {
        String formatSize(long bytes) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("0", "0 B", s -> s.formatSize(0));
        cases.equal("last value in bytes", "1023 B", s -> s.formatSize(1023));
        cases.equal("first value in KB", "1.0 KB", s -> s.formatSize(1024));
        cases.equal("half is rounded up", "1.3 KB", s -> s.formatSize(1280));
        cases.equal("unit is chosen before rounding", "1024.0 KB", s -> s.formatSize(1024 * 1024 - 1));
        cases.equal("GB", "2.5 GB", s -> s.formatSize(5L << 29));
        cases.equal("beyond TB", "3072.0 TB", s -> s.formatSize(3L << 50));
        cases.fails("negative", IllegalArgumentException.class, s -> s.formatSize(-1));
    }
}
