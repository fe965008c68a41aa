public Map<String, Integer> countWords(String text) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    Matcher words = Pattern.compile("[\\p{L}\\p{N}]+").matcher(text.toLowerCase(Locale.ROOT));
    while (words.find()) {
        counts.merge(words.group(), 1, Integer::sum);
    }
    return counts;
}
