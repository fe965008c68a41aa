package aixgrade.starter;

import aixgrade.api.Cases;

public final class S21Test {
    public interface Solution {
        String hexDump(byte[] data) throws Exception;
    }

    private static final String FIRST_LINE = "00000000: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f";

    public static void cases(Cases<Solution> cases) {
        cases.equal("a few bytes", "00000000: 48 69 21", s -> s.hexDump(new byte[] {0x48, 0x69, 0x21}));
        cases.equal("negative bytes", "00000000: ff 80 0a", s -> s.hexDump(new byte[] {-1, -128, 10}));
        cases.equal("exactly one line", FIRST_LINE, s -> s.hexDump(upTo(16)));
        cases.equal("one byte more", FIRST_LINE + "\n00000010: 10", s -> s.hexDump(upTo(17)));
        cases.equal("offset in hexadecimal", "000000a0: a0 a1", s -> {
            String dump = s.hexDump(upTo(162));
            return dump.substring(dump.lastIndexOf('\n') + 1);
        });
        cases.equal("empty array", "", s -> s.hexDump(new byte[0]));
    }

    private static byte[] upTo(int count) {
        byte[] data = new byte[count];
        for (int i = 0; i < count; i++) {
            data[i] = (byte) i;
        }
        return data;
    }
}
