def longest_run(numbers: list) -> int:
    longest = current = 0
    previous = None
    for number in numbers:
        current = current + 1 if number == previous else 1
        previous = number
        longest = max(longest, current)
    return longest
