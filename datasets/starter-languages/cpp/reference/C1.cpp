int clamp(int value, int low, int high) {
    return max(low, min(high, value));
}
