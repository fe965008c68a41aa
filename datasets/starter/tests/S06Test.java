package aixgrade.starter;

import aixgrade.api.Cases;

public final class S06Test {
    public interface Solution {
        int indexOf(byte[] data, byte[] pattern, int from) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        byte[] data = {1, 2, 3, 1, 2, 4};
        cases.equal("at the start", 0, s -> s.indexOf(data.clone(), new byte[] {1, 2}, 0));
        cases.equal("later occurrence", 3, s -> s.indexOf(data.clone(), new byte[] {1, 2}, 1));
        cases.equal("up to the last byte", 4, s -> s.indexOf(data.clone(), new byte[] {2, 4}, 0));
        cases.equal("begins inside a failed attempt", 2,
                s -> s.indexOf(new byte[] {5, 5, 5, 5, 6}, new byte[] {5, 5, 6}, 0));
        cases.equal("not there", -1, s -> s.indexOf(data.clone(), new byte[] {3, 2}, 0));
        cases.equal("pattern longer than data", -1, s -> s.indexOf(new byte[] {1}, new byte[] {1, 2, 3}, 0));
        cases.equal("negative from", 0, s -> s.indexOf(data.clone(), new byte[] {1}, -5));
        cases.equal("empty pattern at the end", 6, s -> s.indexOf(data.clone(), new byte[0], 6));
    }
}
