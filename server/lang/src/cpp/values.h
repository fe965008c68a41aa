// Plain values as bytes, and frames over the control descriptor, for the two processes of the guard. Numbers are sent
// as they are in memory, because the same compiler builds both processes. The reader checks every length.
#include <limits>
#include <list>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace aixgrade {
static int descriptor = -1;
static std::string out, in;
static std::size_t at = 0;

static void leave() { _exit(3); }

static void write_all(const char* data, std::size_t size) {
    while (size > 0) {
        ssize_t done = ::write(descriptor, data, size);
        if (done <= 0) leave();
        data += done, size -= done;
    }
}
static void send(char kind, const std::string& content) {
    unsigned long size = content.size() + 1;
    char head[5] = {char(size >> 24), char(size >> 16), char(size >> 8), char(size), kind};
    write_all(head, 5);
    write_all(content.data(), content.size());
}
static void read_all(char* data, std::size_t size) {
    while (size > 0) {
        ssize_t done = ::read(descriptor, data, size);
        if (done <= 0) _exit(0);
        data += done, size -= done;
    }
}
static void receive() {
    unsigned char head[5];
    read_all(reinterpret_cast<char*>(head), 5);
    std::size_t size = (std::size_t(head[0]) << 24 | head[1] << 16 | head[2] << 8 | head[3]) - 1;
    if (size > (16u << 20)) leave();
    in.resize(size);
    read_all(&in[0], size);
    at = 0;
}
// Whether an answer is read. What is none is refused.
static bool is_answer = false;
static void unreadable() {
    if (is_answer) send('O', "f");
    leave();
}
static void raw(void* data, std::size_t size) {
    if (size > in.size() - at) unreadable();
    std::memcpy(data, in.data() + at, size);
    at += size;
}
static std::size_t count() {
    unsigned n;
    raw(&n, sizeof n);
    if (n > in.size()) unreadable();
    return n;
}
static void put_count(std::size_t n) {
    unsigned size = n;
    out.append(reinterpret_cast<char*>(&size), sizeof size);
}

// What was written or read since the last `forget`: see `Facts` in answers.rs.
static double largest = 0;
static unsigned nans = 0, infinities = 0;
static void forget() { largest = 0, nans = 0, infinities = 0; }

template <class T> typename std::enable_if<std::is_floating_point<T>::value>::type see(const T& value) {
    double size = value < 0 ? -double(value) : double(value);
    if (!(size == size)) ++nans;
    else if (size > std::numeric_limits<double>::max()) ++infinities;
    else if (size > largest) largest = size;
}
// The absolute value of the smallest integer is not positive.
template <class T> typename std::enable_if<!std::is_floating_point<T>::value>::type see(const T& value) {
    if (std::is_signed<T>::value && sizeof value >= 4 && value == std::numeric_limits<T>::min()) ++infinities;
}
template <class T> typename std::enable_if<std::is_arithmetic<T>::value>::type put(const T& value) {
    see(value);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T> typename std::enable_if<std::is_arithmetic<T>::value>::type get(T& value) {
    raw(&value, sizeof value);
    see(value);
}
inline void get(bool& value) {
    unsigned char byte;
    raw(&byte, 1);
    value = byte != 0;
}
inline void put(const std::string& value) {
    put_count(value.size());
    out += value;
}
inline void get(std::string& value) {
    std::size_t size = count();
    value.resize(size);
    if (size > 0) raw(&value[0], size);
}
template <class T> void put(const std::vector<T>& value);
template <class T> void get(std::vector<T>& value);
template <class T> void put(const std::list<T>& value);
template <class T> void get(std::list<T>& value);
template <class K, class V> void put(const std::map<K, V>& value);
template <class K, class V> void get(std::map<K, V>& value);
#ifdef AIXGRADE_ANY
inline void put(const boost::any& value) {
    if (value.empty()) out += 'e';
    else if (value.type() == typeid(int)) out += 'i', put(boost::any_cast<int>(value));
    else if (value.type() == typeid(double)) out += 'd', put(boost::any_cast<double>(value));
    else if (value.type() == typeid(float)) out += 'f', put(boost::any_cast<float>(value));
    else if (value.type() == typeid(char)) out += 'c', put(boost::any_cast<char>(value));
    else if (value.type() == typeid(bool)) out += 'b', put(boost::any_cast<bool>(value));
    else if (value.type() == typeid(std::string)) out += 's', put(boost::any_cast<std::string>(value));
    else {
        send('U', "a value of an unsupported type in boost::any");
        leave();
    }
}
template <class T> void get_any(boost::any& value) {
    T inside = T();
    get(inside);
    value = inside;
}
inline void get(boost::any& value) {
    char tag;
    raw(&tag, 1);
    if (tag == 'e') value = boost::any();
    else if (tag == 'i') get_any<int>(value);
    else if (tag == 'd') get_any<double>(value);
    else if (tag == 'f') get_any<float>(value);
    else if (tag == 'c') get_any<char>(value);
    else if (tag == 'b') get_any<bool>(value);
    else if (tag == 's') get_any<std::string>(value);
    else unreadable();
}
#endif
template <class T> void put(const std::vector<T>& value) {
    put_count(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) put(T(value[i]));
}
template <class T> void get(std::vector<T>& value) {
    value.clear();
    for (std::size_t left = count(); left > 0; --left) {
        T item = T();
        get(item);
        value.push_back(item);
    }
}
template <class T> void put(const std::list<T>& value) {
    put_count(value.size());
    for (typename std::list<T>::const_iterator i = value.begin(); i != value.end(); ++i) put(*i);
}
template <class T> void get(std::list<T>& value) {
    value.clear();
    for (std::size_t left = count(); left > 0; --left) {
        T item = T();
        get(item);
        value.push_back(item);
    }
}
template <class K, class V> void put(const std::map<K, V>& value) {
    put_count(value.size());
    for (typename std::map<K, V>::const_iterator i = value.begin(); i != value.end(); ++i) put(i->first), put(i->second);
}
template <class K, class V> void get(std::map<K, V>& value) {
    value.clear();
    for (std::size_t left = count(); left > 0; --left) {
        K key = K();
        get(key);
        get(value[key]);
    }
}

// What an answer contains, or may contain (answers.rs): changed arguments and shape, which are always 0 here, largest
// number, numbers that are NaN, infinite ones, keys, and the length of the answer.
static unsigned long long number(int bytes) {
    unsigned long long value = 0;
    for (; bytes > 0; --bytes) {
        unsigned char byte;
        raw(&byte, 1);
        value = value << 8 | byte;
    }
    return value;
}
static void append(std::string& to, unsigned long long value, int bytes) {
    while (bytes > 0) to += char(value >> 8 * --bytes);
}
// The solver's side of a call: sends what was written.
inline void send_answer() {
    std::string frame(16, '\0');
    unsigned long long bits;
    std::memcpy(&bits, &largest, sizeof bits);
    append(frame, bits, 8), append(frame, nans, 4), append(frame, infinities, 4), append(frame, 0, 4);
    append(frame, out.size(), 4);
    send('A', frame + out);
}
// Refuses an answer: see `refusal` in answers.rs.
static void refuse(char why) {
    send('O', std::string(1, why));
    leave();
}

// The judge's side of a call.
inline void put_all() {}
template <class T, class... More> void put_all(const T& first, const More&... more) {
    put(first);
    put_all(more...);
}
template <class R, class... A> R call(const A&... arguments) {
    out.clear();
    put_all(arguments...);
    send('C', out);
    receive();
    number(8), number(8);
    double most;
    unsigned long long bits = number(8);
    std::memcpy(&most, &bits, sizeof most);
    unsigned long long most_nans = number(4), most_infinities = number(4);
    number(4), number(4);
    R answer = R();
    forget();
    is_answer = true;
    get(answer);
    is_answer = false;
    if (at != in.size()) refuse('f');
    if (nans > most_nans) refuse('n');
    if (infinities > most_infinities) refuse('i');
    if (!(largest <= most)) refuse('l');
    return answer;
}
}  // namespace aixgrade
