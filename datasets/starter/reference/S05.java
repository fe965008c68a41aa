public String formatSize(long bytes) {
    if (bytes < 0) {
        throw new IllegalArgumentException("negative size: " + bytes);
    }
    if (bytes < 1024) {
        return bytes + " B";
    }
    String[] units = {"KB", "MB", "GB", "TB"};
    int unit = 0;
    double size = bytes / 1024.0;
    while (size >= 1024 && unit < units.length - 1) {
        size /= 1024;
        unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", size, units[unit]);
}
