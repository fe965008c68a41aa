public void writeAtomically(Path target, String text) throws IOException {
    Path folder = target.toAbsolutePath().getParent();
    Files.createDirectories(folder);
    Path temporary = Files.createTempFile(folder, "write", ".tmp");
    try {
        Files.write(temporary, text.getBytes(StandardCharsets.UTF_8));
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
        Files.deleteIfExists(temporary);
    }
}
