package main

import (
    "testing"
    "github.com/stretchr/testify/assert"
)

func TestLongestRun(t *testing.T) {
    assert := assert.New(t)
    assert.Equal(0, LongestRun([]int{}))
    assert.Equal(1, LongestRun([]int{7}))
    assert.Equal(3, LongestRun([]int{1, 1, 2, 2, 2, 1}))
    assert.Equal(4, LongestRun([]int{3, 3, 3, 3}))
    assert.Equal(1, LongestRun([]int{1, 2, 3}))
    assert.Equal(2, LongestRun([]int{5, 1, 1}))
}
