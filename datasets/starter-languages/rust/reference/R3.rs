fn longest_run(numbers: Vec<i32>) -> usize {
    let (mut longest, mut current) = (0, 0);
    for (i, number) in numbers.iter().enumerate() {
        current = if i > 0 && *number == numbers[i - 1] { current + 1 } else { 1 };
        longest = longest.max(current);
    }
    longest
}
