// Package judging runs the tests of a judge. It is separate from package values because programs without tests link
// faster without package testing.
package judging

import (
	"aixgrade/values"
	"os"
	"sort"
	"testing"
	"testing/internal/testdeps"
)

// Judge runs tests and reports when all of them have passed.
func Judge(tests map[string]func(*testing.T)) {
	values.Open()
	os.Args = os.Args[:1]
	if quiet, err := os.OpenFile("/dev/null", os.O_WRONLY, 0); err == nil {
		os.Stdout = quiet
	}
	var list []testing.InternalTest
	for name, test := range tests {
		list = append(list, testing.InternalTest{Name: name, F: test})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	if len(list) == 0 || testing.MainStart(testdeps.TestDeps{}, list, nil, nil, nil).Run() != 0 {
		values.Send('F', []byte("a test failed"))
		os.Exit(1)
	}
	values.Send('E', nil)
	values.Send('R', values.Receive())
	os.Exit(0)
}
