public String camelToSnake(String name) {
    if (name == null) {
        return null;
    }
    return name.replaceAll("([A-Z])([A-Z][a-z])", "$1_$2")
            .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
            .toLowerCase(Locale.ROOT);
}
