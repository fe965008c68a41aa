package main

import (
    "testing"
    "github.com/stretchr/testify/assert"
)

func TestSecondLargest(t *testing.T) {
    assert := assert.New(t)
    assert.Equal(3, SecondLargest([]int{1, 5, 3}, -1))
    assert.Equal(4, SecondLargest([]int{5, 5, 4}, -1))
    assert.Equal(-1, SecondLargest([]int{2, 2}, -1))
    assert.Equal(7, SecondLargest([]int{}, 7))
    assert.Equal(-2, SecondLargest([]int{-1, -2, -3}, 0))
}
