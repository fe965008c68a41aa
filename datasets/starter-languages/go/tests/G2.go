package main

import (
    "testing"
    "github.com/stretchr/testify/assert"
)

func TestInitials(t *testing.T) {
    assert := assert.New(t)
    assert.Equal("AL", Initials("ada lovelace"))
    assert.Equal("GBH", Initials("  grace   brewster hopper "))
    assert.Equal("X", Initials("X"))
    assert.Equal("", Initials("   "))
    assert.Equal("", Initials(""))
}
