public long parseDuration(String text) {
    if (!text.matches("(?i)\\s*(\\d+[dhms]\\s*)+")) {
        throw new IllegalArgumentException("not a duration: " + text);
    }
    long seconds = 0;
    Matcher pairs = Pattern.compile("(\\d+)([dhms])").matcher(text.toLowerCase(Locale.ROOT));
    while (pairs.find()) {
        long unit = switch (pairs.group(2)) {
            case "d" -> 86_400;
            case "h" -> 3_600;
            case "m" -> 60;
            default -> 1;
        };
        seconds += Long.parseLong(pairs.group(1)) * unit;
    }
    return seconds;
}
