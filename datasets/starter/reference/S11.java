public <T> void move(List<T> list, int from, int to) {
    Objects.checkIndex(from, list.size());
    Objects.checkIndex(to, list.size());
    list.add(to, list.remove(from));
}
