assert second_largest([1, 5, 3], -1) == 3
assert second_largest([5, 5, 4], -1) == 4
assert second_largest([2, 2], -1) == -1
assert second_largest([], 7) == 7
assert second_largest([-1, -2, -3], 0) == -2
