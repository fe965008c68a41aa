string initials(string name) {
    string result;
    bool inside = false;
    for (char c : name) {
        if (c == ' ') {
            inside = false;
        } else if (!inside) {
            inside = true;
            result += toupper(c);
        }
    }
    return result;
}
