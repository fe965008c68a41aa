int longest_run(vector<int> numbers) {
    int longest = 0, current = 0;
    for (size_t i = 0; i < numbers.size(); i++) {
        current = i > 0 && numbers[i] == numbers[i - 1] ? current + 1 : 1;
        longest = max(longest, current);
    }
    return longest;
}
