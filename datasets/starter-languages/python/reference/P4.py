def second_largest(numbers: list, missing: int) -> int:
    different = sorted(set(numbers), reverse=True)
    return different[1] if len(different) > 1 else missing
