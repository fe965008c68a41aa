public String hexDump(byte[] data) {
    StringBuilder dump = new StringBuilder();
    for (int i = 0; i < data.length; i++) {
        if (i % 16 == 0) {
            dump.append(i == 0 ? "" : "\n").append(String.format("%08x:", i));
        }
        dump.append(String.format(" %02x", data[i]));
    }
    return dump.toString();
}
