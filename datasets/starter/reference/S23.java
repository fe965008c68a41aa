public String fillTemplate(String template, Map<String, String> values) {
    Matcher placeholders = Pattern.compile("\\$\\{([\\p{L}\\p{N}._]+)(?::([^}]*))?\\}").matcher(template);
    return placeholders.replaceAll(found -> {
        String value = values.get(found.group(1));
        if (value == null) {
            value = found.group(2);
        }
        return Matcher.quoteReplacement(value == null ? found.group() : value);
    });
}
