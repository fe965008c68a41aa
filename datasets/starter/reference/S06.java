public int indexOf(byte[] data, byte[] pattern, int from) {
    for (int start = Math.max(from, 0); start <= data.length - pattern.length; start++) {
        if (Arrays.equals(data, start, start + pattern.length, pattern, 0, pattern.length)) {
            return start;
        }
    }
    return -1;
}
