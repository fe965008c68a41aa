// Builds Go programs inside the sandbox, with the steps and options of `go test` but without its cache and its scan of
// the whole library. Built once per toolchain; it never runs what it builds.
//
//	test FILE           the program that `go test FILE` runs, after `go vet`
//	solver FILE NAME    a program that answers calls of a function in the file
//	program FILE...     a program from the package "sample" (the first file) and package main (the second)
//	prune FOLDER FILE...  copies of testify's files without the functions that need packages for HTTP or YAML
//
// The result is ./a.out. Exit code 1 with a message like those of `go test` means that the text is rejected.
package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	tools   = "/go/tool/"
	archive = "/go/pkg/importcfg"
	// The archive with a testify without functions for HTTP and YAML, whose packages take most of the linking time.
	slim   = "/go/pkg/importcfg.slim"
	tested = "command-line-arguments"
)

// The slim archive leaves out testify's functions that have one of these words in their names.
var pruned = []string{"HTTP", "YAML"}

// The archive for a file. A file without these words cannot name a function that is left out.
func archiveFor(file string) string {
	text, err := os.ReadFile(file)
	own(err)
	for _, word := range pruned {
		if strings.Contains(string(text), word) {
			return archive
		}
	}
	return slim
}

func fatal(text string) {
	fmt.Print(text)
	os.Exit(1)
}

func own(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
}

func run(program string, arguments ...string) (string, bool) {
	said, err := exec.Command(tools+program, arguments...).CombinedOutput()
	return string(said), err == nil
}

// Compiles one package. The importcfg lists every package of the archive and those compiled here.
func compile(path, out, config string, files ...string) {
	if said, ok := tryCompile(path, out, config, files...); !ok {
		fatal("# " + path + "\n" + said)
	}
}

// Programs are linked without debugging tables, so none are generated.
func tryCompile(path, out, config string, files ...string) (string, bool) {
	arguments := []string{"-o", out, "-trimpath", "/program=>.;/work=>", "-p", path, "-lang=" + os.Args[1], "-c=1",
		"-dwarf=false", "-nolocalimports", "-importcfg", config, "-pack", "-complete"}
	return run("compile", append(arguments, files...)...)
}

// Writes an importcfg with an archive's packages and those compiled here.
func config(archive string, more ...string) string {
	text, err := os.ReadFile(archive)
	own(err)
	for _, path := range more {
		text = append(text, ("packagefile " + path + "=/work/" + path + ".a\n")...)
	}
	name := "/work/" + strings.Join(more, "+") + ".cfg"
	own(os.WriteFile(name, text, 0o600))
	return name
}

func link(main, config string, flags ...string) {
	// The linker ends too soon for garbage collection to pay off, and links nothing large.
	own(os.Setenv("GOGC", "off"))
	arguments := append([]string{"-o", "/work/a.out", "-importcfg", config, "-s", "-w", "-buildmode=exe"}, flags...)
	if said, ok := run("link", append(arguments, main)...); !ok {
		fatal("# " + tested + "\n" + said)
	}
}

// Whether a name is prefix, or prefix and something that does not begin with a lower-case letter, as in the go command.
func isTest(name, prefix string) bool {
	if !strings.HasPrefix(name, prefix) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(name[len(prefix):])
	return len(name) == len(prefix) || !unicode.IsLower(first)
}

// Whether a function has no results and one parameter, of type *kind or *testing.kind.
func takes(function *ast.FuncDecl, kind string) bool {
	list := function.Type.Params.List
	if function.Type.Results != nil && len(function.Type.Results.List) > 0 || len(list) != 1 || len(list[0].Names) > 1 {
		return false
	}
	pointer, ok := list[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	if name, ok := pointer.X.(*ast.Ident); ok {
		return name.Name == kind
	}
	selector, ok := pointer.X.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == kind
}

// The main package that `go test` generates. `together` is a variant that is compiled into the tests' own package; it
// is empty if the tests have a TestMain.
func testmain(file *ast.File) (apart, together string) {
	var tests, benchmarks, fuzz, examples strings.Builder
	custom := ""
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Recv != nil {
			continue
		}
		name := function.Name.Name
		entry := "\t{" + strconv.Quote(name) + ", _test." + name + "},\n"
		switch {
		case name == "TestMain":
			if takes(function, "T") {
				tests.WriteString(entry)
				continue
			}
			if !takes(function, "M") {
				fatal("main_test.go: wrong signature for TestMain, must be: func TestMain(m *testing.M)\n")
			}
			custom = name
		case isTest(name, "Test"):
			if !takes(function, "T") {
				fatal("main_test.go: wrong signature for " + name + ", must be: func " + name + "(t *testing.T)\n")
			}
			tests.WriteString(entry)
		case isTest(name, "Benchmark"):
			if !takes(function, "B") {
				fatal("main_test.go: wrong signature for " + name + ", must be: func " + name + "(b *testing.B)\n")
			}
			benchmarks.WriteString(entry)
		case isTest(name, "Fuzz"):
			if !takes(function, "F") {
				fatal("main_test.go: wrong signature for " + name + ", must be: func " + name + "(f *testing.F)\n")
			}
			fuzz.WriteString(entry)
		}
	}
	found := doc.Examples(file)
	sort.Slice(found, func(i, j int) bool { return found[i].Order < found[j].Order })
	for _, example := range found {
		if example.Output != "" || example.EmptyOutput {
			name := "Example" + example.Name
			fmt.Fprintf(&examples, "\t{%q, _test.%s, %q, %t},\n", name, name, example.Output, example.Unordered)
		}
	}
	leave := "os.Exit(m.Run())"
	reflect := ""
	if custom != "" {
		reflect = "\t\"reflect\"\n"
		leave = "_test.TestMain(m)\n\tos.Exit(int(reflect.ValueOf(m).Elem().FieldByName(\"exitCode\").Int()))"
	}
	use := "_test"
	if tests.Len()+benchmarks.Len()+fuzz.Len()+examples.Len() == 0 && custom == "" {
		use = "_"
	}
	apart = "package main\nimport (\n\t\"os\"\n" + reflect + "\t\"testing\"\n\t\"testing/internal/testdeps\"\n\t" + use +
		" \"" + tested + "\"\n)\nvar tests = []testing.InternalTest{\n" + tests.String() +
		"}\nvar benchmarks = []testing.InternalBenchmark{\n" + benchmarks.String() +
		"}\nvar fuzzTargets = []testing.InternalFuzzTarget{\n" + fuzz.String() +
		"}\nvar examples = []testing.InternalExample{\n" + examples.String() +
		"}\nfunc init() {\n\ttestdeps.ImportPath = \"" + tested +
		"\"\n}\nfunc main() {\n\tm := testing.MainStart(testdeps.TestDeps{}, tests, benchmarks, fuzzTargets, examples)\n\t" +
		leave + "\n}\n"
	if custom == "" {
		list := func(items strings.Builder) string { return strings.ReplaceAll(items.String(), "_test.", "") }
		together = "package main\nimport (\n\taixgradeOs \"os\"\n\taixgradeTesting \"testing\"\n" +
			"\taixgradeTestdeps \"testing/internal/testdeps\"\n)\nfunc init() {\n\taixgradeTestdeps.ImportPath = \"" +
			tested + "\"\n}\nfunc main() {\n\taixgradeOs.Exit(aixgradeTesting.MainStart(aixgradeTestdeps.TestDeps{},\n" +
			"[]aixgradeTesting.InternalTest{\n" + list(tests) + "},\n[]aixgradeTesting.InternalBenchmark{\n" +
			list(benchmarks) + "},\n[]aixgradeTesting.InternalFuzzTarget{\n" + list(fuzz) +
			"},\n[]aixgradeTesting.InternalExample{\n" + list(examples) + "}).Run())\n}\n"
	}
	return apart, together
}

func parse(file string) (*token.FileSet, *ast.File) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments)
	if err != nil {
		fatal("# " + tested + "\n" + strings.ReplaceAll(err.Error(), "/program/", "./") + "\nFAIL\t" + tested + " [setup failed]\n")
	}
	return set, parsed
}

// Runs vet over a package, with the configuration file that it expects.
func vet(file, archive string, parsed *ast.File) {
	text, err := os.ReadFile(archive)
	own(err)
	files := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if path, where, ok := cut(strings.TrimPrefix(line, "packagefile "), "="); ok {
			files[path] = where
		}
	}
	var imports, where, standard []string
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		own(err)
		quoted := strconv.Quote(path)
		imports = append(imports, quoted+": "+quoted)
		where = append(where, quoted+": "+strconv.Quote(files[path]))
		if !strings.Contains(path, ".") {
			standard = append(standard, quoted+": true")
		}
	}
	list := func(items []string) string { return "{" + strings.Join(items, ", ") + "}" }
	config := `{"ID": "` + tested + `", "Compiler": "gc", "Dir": "/program", "ImportPath": "` + tested +
		`", "GoFiles": [` + strconv.Quote(file) + `], "ImportMap": ` + list(imports) + `, "PackageFile": ` + list(where) +
		`, "Standard": ` + list(standard) + `, "VetxOnly": false, "VetxOutput": "/work/vet.out", "GoVersion": "` +
		os.Args[1] + `", "SucceedOnTypecheckFailure": false}`
	own(os.WriteFile("/work/vet.cfg", []byte(config), 0o600))
	flags, err := os.ReadFile("/go/vetflags")
	own(err)
	if said, ok := run("vet", append(strings.Fields(string(flags)), "/work/vet.cfg")...); !ok {
		fatal("# " + tested + "\n" + strings.ReplaceAll(said, "/program/", "./"))
	}
}

// strings.Cut, which does not exist before Go 1.18.
func cut(text, by string) (string, string, bool) {
	at := strings.Index(text, by)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(by):], true
}

// Writes a copy without the unused imports: a sample without its tests, or tests without a sample, need fewer imports
// than both.
func withoutUnused(file, out string) *ast.File {
	set, parsed := parse(file)
	text, err := os.ReadFile(file)
	own(err)
	used := map[string]bool{}
	ast.Inspect(parsed, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok && name.Obj == nil {
				used[name.Name] = true
			}
		}
		return true
	})
	for _, declaration := range parsed.Decls {
		imports, ok := declaration.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		for _, one := range imports.Specs {
			spec := one.(*ast.ImportSpec)
			path, err := strconv.Unquote(spec.Path.Value)
			own(err)
			name := path[strings.LastIndex(path, "/")+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if name == "_" || name == "." || used[name] {
				continue
			}
			var whole ast.Node = spec
			if !imports.Lparen.IsValid() {
				whole = imports
			}
			for at := set.Position(whole.Pos()).Offset; at < set.Position(whole.End()).Offset; at++ {
				if text[at] != '\n' {
					text[at] = ' '
				}
			}
		}
	}
	own(os.WriteFile(out, text, 0o600))
	return parsed
}

// Compiles a text and its main function as one package, which halves the compilation time. If this fails, because the
// text has its own main or is wrong, the caller compiles them separately, which decides.
func together(text, main, config, out string) bool {
	own(os.WriteFile("/work/together.go", []byte(main), 0o600))
	_, ok := tryCompile("main", out, config, text, "/work/together.go")
	return ok
}

// Copies files without the functions whose names have a word of `pruned`, and without the imports that only they use.
func prune(folder string, files []string) {
	for _, file := range files {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		own(err)
		var kept []ast.Decl
		for _, declaration := range parsed.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if ok && isPruned(function.Name.Name) {
				continue
			}
			kept = append(kept, declaration)
		}
		parsed.Decls = kept
		out := folder + file[strings.LastIndex(file, "/"):]
		written, err := os.Create(out)
		own(err)
		own(printer.Fprint(written, set, parsed))
		own(written.Close())
		withoutUnused(out, out)
	}
}

func isPruned(name string) bool {
	for _, word := range pruned {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Arguments: LANG MODE DEFAULTS FILE...
func main() {
	mode, defaults, files := os.Args[2], os.Args[3], os.Args[4:]
	if mode == "prune" {
		prune(files[0], files[1:])
		return
	}
	var flags []string
	if defaults != "" {
		flags = append(flags, "-X=runtime.godebugDefault="+defaults)
	}
	if mode == "test" {
		_, parsed := parse(files[0])
		main, inside := testmain(parsed)
		archive := archiveFor(files[0])
		flags = append(flags, "-X", "testing.testBinary=1")
		if inside != "" && parsed.Name.Name == "main" && together(files[0], inside, archive, "/work/main.a") {
			vet(files[0], archive, parsed)
			link("/work/main.a", archive, flags...)
			return
		}
		compile(tested, "/work/"+tested+".a", archive, files[0])
		vet(files[0], archive, parsed)
		own(os.WriteFile("/work/_testmain.go", []byte(main), 0o600))
		with := config(archive, tested)
		compile("main", "/work/main.a", with, "/work/_testmain.go")
		link("/work/main.a", with, flags...)
		return
	}
	archive := archiveFor(files[0])
	parsed := withoutUnused(files[0], "/work/sample.go")
	if mode == "solver" {
		inside := "package main\nimport aixgradeValues \"aixgrade/values\"\nfunc main() { aixgradeValues.Serve(" + files[1] + ") }\n"
		if parsed.Name.Name == "main" && together("/work/sample.go", inside, archive, "/work/main.a") {
			link("/work/main.a", archive, flags...)
			return
		}
		main := "package main\nimport (\n\t\"aixgrade/values\"\n\tsample \"sample\"\n)\nfunc main() { values.Serve(sample." + files[1] + ") }\n"
		files = []string{files[0], "/work/main.go"}
		own(os.WriteFile(files[1], []byte(main), 0o600))
	}
	compile("sample", "/work/sample.a", archive, append([]string{"/work/sample.go"}, files[2:]...)...)
	with := config(archive, "sample")
	compile("main", "/work/main.a", with, files[1])
	link("/work/main.a", with, flags...)
}
