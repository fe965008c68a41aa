template <class T> typename std::enable_if<std::is_arithmetic<T>::value, long long>::type size(const T& value) {
    return (long long)value;
}
template <class T> auto size(const T& value) -> decltype((long long)value.size()) { return (long long)value.size(); }
template <class T> T reversed(T list) { std::reverse(list.begin(), list.end()); return list; }
template <class T> T sorted(T list) { std::sort(list.begin(), list.end()); return list; }
template <class T> T sorted_down(T list) { return reversed(sorted(list)); }
template <class T> T doubled(const T& list) { T two = list; two.insert(two.end(), list.begin(), list.end()); return two; }
template <class T> T without_first(T list) { if (!list.empty()) list.erase(list.begin()); return list; }
template <class T> T without_last(T list) { if (!list.empty()) list.pop_back(); return list; }
template <class T> T first_only(const T& list) { return list.empty() ? list : T(list.begin(), list.begin() + 1); }
template <class T> T last_only(const T& list) { return list.empty() ? list : T(list.end() - 1, list.end()); }
string reversed_text(const string& text) { return reversed(text); }
string sorted_text(const string& text) { return sorted(text); }
string sorted_down_text(const string& text) { return sorted_down(text); }
string doubled_text(const string& text) { return doubled(text); }
string without_first_text(const string& text) { return without_first(text); }
string without_last_text(const string& text) { return without_last(text); }
string first_only_text(const string& text) { return first_only(text); }
string last_only_text(const string& text) { return last_only(text); }
template <class T> T first_of(const vector<T>& list, T other) { return list.empty() ? other : list.front(); }
template <class T> T last_of(const vector<T>& list, T other) { return list.empty() ? other : list.back(); }
template <class T> vector<T> copies(const T& item, long long count) {
    return vector<T>(std::max(0LL, std::min(count, 1000LL)), item);
}
string as_text(long long number) { return std::to_string(number); }
string letters(long long count) { return string(std::max(0LL, std::min(count, 1000LL)), 'a'); }
