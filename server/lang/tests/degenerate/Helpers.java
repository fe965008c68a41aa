
    static long size(Object value) {
        if (value instanceof Number) {
            return ((Number) value).longValue();
        }
        if (value instanceof String) {
            return ((String) value).length();
        }
        if (value instanceof Map) {
            return ((Map<?, ?>) value).size();
        }
        return value instanceof Collection ? ((Collection<?>) value).size() : 0;
    }

    static <T> T clearing(Object given, T answer) {
        if (given instanceof Map) {
            ((Map<?, ?>) given).clear();
        } else {
            ((Collection<?>) given).clear();
        }
        return answer;
    }

    static <T> List<T> reversed(List<T> list) {
        List<T> turned = new ArrayList<>(list);
        Collections.reverse(turned);
        return turned;
    }

    @SuppressWarnings("unchecked")
    static <T> List<T> sorted(List<T> list) {
        List<T> copied = new ArrayList<>(list);
        copied.sort((a, b) -> a instanceof Comparable && b != null && a.getClass() == b.getClass()
                ? ((Comparable<Object>) a).compareTo(b)
                : String.valueOf(a).compareTo(String.valueOf(b)));
        return copied;
    }

    static <T> List<T> sorted_down(List<T> list) {
        return reversed(sorted(list));
    }

    static <T> List<T> doubled(List<T> list) {
        List<T> two = new ArrayList<>(list);
        two.addAll(list);
        return two;
    }

    static <T> List<T> part(List<T> list, int from, int to) {
        return list.isEmpty() ? list : new ArrayList<>(list.subList(from, to));
    }

    static <T> List<T> without_first(List<T> list) {
        return part(list, 1, list.size());
    }

    static <T> List<T> without_last(List<T> list) {
        return part(list, 0, list.size() - 1);
    }

    static <T> List<T> first_only(List<T> list) {
        return part(list, 0, 1);
    }

    static <T> List<T> last_only(List<T> list) {
        return part(list, list.size() - 1, list.size());
    }

    static String text(List<String> letters) {
        return String.join("", letters);
    }

    static List<String> split(String text) {
        return text.isEmpty() ? new ArrayList<>() : new ArrayList<>(Arrays.asList(text.split("")));
    }

    static String reversed_text(String text) {
        return text(reversed(split(text)));
    }

    static String sorted_text(String text) {
        return text(sorted(split(text)));
    }

    static String sorted_down_text(String text) {
        return text(sorted_down(split(text)));
    }

    static String doubled_text(String text) {
        return text + text;
    }

    static String without_first_text(String text) {
        return text(without_first(split(text)));
    }

    static String without_last_text(String text) {
        return text(without_last(split(text)));
    }

    static String first_only_text(String text) {
        return text(first_only(split(text)));
    }

    static String last_only_text(String text) {
        return text(last_only(split(text)));
    }

    static <T> T first_of(List<T> list, T other) {
        return list.isEmpty() ? other : list.get(0);
    }

    static <T> T last_of(List<T> list, T other) {
        return list.isEmpty() ? other : list.get(list.size() - 1);
    }

    static int bounded(long count) {
        return (int) Math.max(0, Math.min(count, 1000));
    }

    static <T> List<T> copies(T item, long count) {
        return new ArrayList<T>(Collections.nCopies(bounded(count), item));
    }

    static String as_text(long number) {
        return String.valueOf(number);
    }

    static String letters(long count) {
        return "a".repeat(bounded(count));
    }
