public List<String> tail(Path file, int n) throws IOException {
    if (n < 0) {
        throw new IllegalArgumentException("negative number of lines: " + n);
    }
    Deque<String> last = new ArrayDeque<>();
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            last.addLast(line);
            if (last.size() > n) {
                last.removeFirst();
            }
        }
    }
    return new ArrayList<>(last);
}
