package main

import (
    "testing"
    "github.com/stretchr/testify/assert"
)

func TestClamp(t *testing.T) {
    assert := assert.New(t)
    assert.Equal(5, Clamp(5, 1, 10))
    assert.Equal(10, Clamp(10, 1, 10))
    assert.Equal(1, Clamp(-3, 1, 10))
    assert.Equal(10, Clamp(99, 1, 10))
    assert.Equal(4, Clamp(9, 4, 4))
}
