public String ellipsize(String text, int max) {
    if (text == null) {
        return "";
    }
    return text.length() <= max ? text : text.substring(0, max - 1) + '\u2026';
}
