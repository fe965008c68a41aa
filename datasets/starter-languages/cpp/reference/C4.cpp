int second_largest(vector<int> numbers, int missing) {
    set<int> different(numbers.begin(), numbers.end());
    if (different.size() < 2) {
        return missing;
    }
    return *next(different.rbegin());
}
