package main

import "sort"

func SecondLargest(numbers []int, missing int) int {
	different := map[int]bool{}
	for _, number := range numbers {
		different[number] = true
	}
	if len(different) < 2 {
		return missing
	}
	keys := []int{}
	for key := range different {
		keys = append(keys, key)
	}
	sort.Ints(keys)
	return keys[len(keys)-2]
}
