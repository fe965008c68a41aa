// Builds Go programs inside the sandbox, with the steps and options of `go test` but without its cache and its scan of
// the whole library. Built once per toolchain; it never runs what it builds.
//
//	test FILE           the program that `go test FILE` runs, after `go vet`
//	solver FILE NAME    a program that answers calls of a function in the file
//	program FILE...     a program from the package "sample" (the first file) and package main (the second)
//	batch FILE END NAME...  both programs ("test" and "solver") for several files; the tests of each begin at byte END
//	joins FILE END NAME   prints whether such a file may join a batch
//	prune FOLDER FILE...  copies of testify's files without the functions that need packages for HTTP or YAML
//
// The result is ./a.out; function pack defines the result of a batch. Exit code 1 with a message like those of `go
// test` means that the text is rejected.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"runtime"
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
	output, err := exec.Command(tools+program, arguments...).CombinedOutput()
	return string(output), err == nil
}

// Compiles one package. The importcfg lists every package of the archive and those compiled here.
func compile(path, out, config string, files ...string) {
	if output, ok := tryCompile(path, out, config, files...); !ok {
		fatal("# " + path + "\n" + output)
	}
}

// Programs are linked without debugging tables, so none are generated.
func tryCompile(path, out, config string, files ...string) (string, bool) {
	folder := files[0][:strings.LastIndex(files[0], "/")]
	arguments := []string{"-o", out, "-trimpath", folder + "=>.;/work=>", "-p", path, "-lang=" + os.Args[1], "-c=1",
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
	if output, ok := tryLink(main, "/work/a.out", config, flags...); !ok {
		fatal("# " + tested + "\n" + output)
	}
}

func tryLink(main, out, config string, flags ...string) (string, bool) {
	// The linker ends too soon for garbage collection to pay off, and links nothing large.
	own(os.Setenv("GOGC", "off"))
	arguments := append([]string{"-o", out, "-importcfg", config, "-s", "-w", "-buildmode=exe"}, flags...)
	return run("link", append(arguments, main)...)
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

func vet(file, archive string, parsed *ast.File) {
	if output, ok := tryVet(file, archive, parsed); !ok {
		fatal("# " + tested + "\n" + strings.ReplaceAll(output, "/program/", "./"))
	}
}

// Runs vet over a package, with the configuration file that it expects.
func tryVet(file, archive string, parsed *ast.File) (string, bool) {
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
	return run("vet", append(strings.Fields(string(flags)), "/work/vet.cfg")...)
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

// The vet analyzers that needsVet knows.
var knownVetFlags = "-atomic -bool -buildtags -directive -errorsas -ifaceassert -nilfunc -printf -stringintconv -tests"

// Whether vet could report a problem in a text that may join a batch. Such a text has no directives and imports neither
// sync/atomic nor log, so the remaining checks concern logical operators, nil, interface types, conversions of numbers
// to strings, names of tests, errors.As, and functions that print. Returns true if vet has an analyzer that is not
// known.
func needsVet(parsed *ast.File) bool {
	flags, err := os.ReadFile("/go/vetflags")
	own(err)
	for _, flag := range strings.Fields(string(flags)) {
		if !strings.Contains(knownVetFlags+" ", flag+" ") {
			return true
		}
	}
	for _, spec := range parsed.Imports {
		if spec.Path.Value == `"fmt"` || spec.Path.Value == `"errors"` {
			return true
		}
	}
	needed := false
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BinaryExpr:
			needed = needed || node.Op == token.LAND || node.Op == token.LOR
		case *ast.TypeAssertExpr, *ast.TypeSpec, *ast.TypeSwitchStmt:
			needed = true
		case *ast.CallExpr:
			// A conversion, string(…), possibly in parentheses.
			function := node.Fun
			for {
				inner, ok := function.(*ast.ParenExpr)
				if !ok {
					break
				}
				function = inner.X
			}
			name, ok := function.(*ast.Ident)
			needed = needed || ok && name.Name == "string"
		case *ast.FuncDecl:
			// Only type parameters can be between the name and the parameters.
			needed = needed || node.Name.End() != node.Type.Params.Pos()
			for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
				name := node.Name.Name
				needed = needed || strings.HasPrefix(name, prefix) && !(prefix == "Test" && takes(node, "T") && isTest(name, prefix))
			}
		case *ast.SelectorExpr:
			name := strings.ToLower(node.Sel.Name)
			for _, part := range []string{"print", "error", "fatal", "log", "skip", "panic", "append", "format"} {
				needed = needed || strings.Contains(name, part)
			}
		case *ast.Ident:
			needed = needed || node.Name == "nil"
		}
		return !needed
	})
	return needed
}

// One sample of a batch with its tests.
type text struct {
	// The file, the path of the package, and the function that the tests call.
	file, path, name string
	// The offset in the file at which the tests begin.
	end int
	// The names of the test functions.
	tests []string
}

// The packages that samples of a batch may import. Their functions start no goroutines that run a sample's code (except
// time.AfterFunc, which mayJoin rejects), and give no access to memory that bypasses Go's types.
var allowedImports = map[string]bool{
	"bytes": true, "container/heap": true, "container/list": true, "crypto/md5": true, "errors": true, "fmt": true,
	"math": true, "math/big": true, "math/bits": true, "math/cmplx": true, "math/rand": true, "regexp": true,
	"sort": true, "strconv": true, "strings": true, "testing": true, "time": true, "unicode": true,
	"unicode/utf8": true, "github.com/stretchr/testify/assert": true,
}

// The words with which compiler directives begin, and the words for which archiveFor chooses the full archive.
var directives = append([]string{"//go:", "//line", "/*line", "//export", "//extern", "+build"}, pruned...)

// Whether a text may be linked with others: it can neither affect nor observe them. None of its code runs before main
// has selected it, so it declares no package variables and no init. It uses nothing that bypasses Go's types, and
// therefore reaches only its own memory; it starts no goroutines, because a data race can break type safety. The sample
// must not name the tests, so that the solver program does not contain them. Records the names of the tests in t.tests.
func (t *text) mayJoin(set *token.FileSet, parsed *ast.File) bool {
	content, err := os.ReadFile(t.file)
	own(err)
	for _, word := range directives {
		if bytes.Contains(content, []byte(word)) {
			return false
		}
	}
	if parsed.Name.Name != "main" || len(doc.Examples(parsed)) > 0 {
		return false
	}
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || spec.Name != nil || !allowedImports[path] {
			return false
		}
	}
	at := func(position token.Pos) int { return set.Position(position).Offset }
	refused := map[string]bool{"testing": true, "assert": true, "AfterFunc": true}
	var sample []ast.Decl
	found := false
	for _, declaration := range parsed.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		name := ""
		if ok {
			name = function.Name.Name
			if function.Body == nil || name == "init" || name == "main" || name == "TestMain" || name == "_" {
				return false
			}
		}
		if at(declaration.Pos()) >= t.end {
			if !ok || function.Recv != nil {
				return false
			}
			refused[name] = true
			if isTest(name, "Test") {
				if !takes(function, "T") {
					return false
				}
				t.tests = append(t.tests, name)
			}
			continue
		}
		if at(declaration.End()) > t.end {
			return false
		}
		if general, ok := declaration.(*ast.GenDecl); ok {
			if general.Tok == token.VAR {
				return false
			}
			if general.Tok != token.IMPORT {
				sample = append(sample, declaration)
			}
			continue
		}
		if !ok {
			return false
		}
		sample = append(sample, declaration)
		for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
			if isTest(name, prefix) {
				return false
			}
		}
		// The function must have no type parameters, which would be between its name and its parameters.
		if function.Recv == nil && name == t.name && function.Name.End() == function.Type.Params.Pos() {
			found = true
		}
	}
	fits := true
	for _, declaration := range sample {
		ast.Inspect(declaration, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.GoStmt:
				fits = false
			case *ast.Ident:
				fits = fits && !refused[node.Name]
			}
			return fits
		})
	}
	return fits && found && len(t.tests) > 0 && ast.IsExported(t.name)
}

// Compiles and vets the texts that may join the batch, each by its own compiler process, and links all of them twice:
// into the program with the tests, and into the solver program. A text that is not in the result must be built alone;
// that build also reports why, if it fails.
func batch(arguments []string, flags []string) {
	built := make([]byte, len(arguments)/3)
	var texts []text
	var paths []string
	for at := range built {
		end, err := strconv.Atoi(arguments[at*3+1])
		own(err)
		one := text{file: arguments[at*3], path: "s" + strconv.Itoa(at), name: arguments[at*3+2], end: end}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, one.file, nil, parser.ParseComments)
		if err != nil || !one.mayJoin(set, parsed) {
			continue
		}
		if _, ok := tryCompile(one.path, "/work/"+one.path+".a", slim, one.file); !ok {
			continue
		}
		if needsVet(parsed) {
			if _, ok := tryVet(one.file, slim, parsed); !ok {
				continue
			}
		}
		built[at] = 1
		texts, paths = append(texts, one), append(paths, one.path)
	}
	var tests, solver []byte
	if len(texts) > 0 {
		tests, solver = linkBatch(texts, config(slim, paths...), flags)
	}
	if tests == nil || solver == nil {
		built = make([]byte, len(built))
	}
	own(os.WriteFile("/work/a.out", pack(built, tests, solver), 0o600))
}

// Links the two programs of a batch, which take a text's number as their first argument. A result is nil if it cannot
// be linked; both are nil if the solver program contains a test.
func linkBatch(texts []text, config string, flags []string) (tests, solver []byte) {
	var imports, testing, serving strings.Builder
	for _, one := range texts {
		number := one.path[1:]
		imports.WriteString("\t" + one.path + " \"" + one.path + "\"\n")
		testing.WriteString("\tcase \"" + number + "\":\n\t\ttests = []testing.InternalTest{\n")
		for _, name := range one.tests {
			testing.WriteString("\t\t\t{\"" + name + "\", " + one.path + "." + name + "},\n")
		}
		testing.WriteString("\t\t}\n")
		serving.WriteString("\tcase \"" + number + "\":\n\t\tvalues.Serve(" + one.path + "." + one.name + ")\n")
	}
	program := func(name, source string, flags ...string) []byte {
		own(os.WriteFile("/work/"+name+".go", []byte(source), 0o600))
		if _, ok := tryCompile("main", "/work/"+name+".a", config, "/work/"+name+".go"); !ok {
			return nil
		}
		if _, ok := tryLink("/work/"+name+".a", "/work/"+name, config, flags...); !ok {
			return nil
		}
		linked, err := os.ReadFile("/work/" + name)
		own(err)
		return linked
	}
	tests = program("tests", "package main\nimport (\n\t\"os\"\n\t\"testing\"\n\t\"testing/internal/testdeps\"\n"+
		imports.String()+")\nfunc init() {\n\ttestdeps.ImportPath = \""+tested+"\"\n}\nfunc main() {\n"+
		"\tnumber := os.Args[1]\n\tos.Args = append(os.Args[:1], os.Args[2:]...)\n\tvar tests []testing.InternalTest\n"+
		"\tswitch number {\n"+testing.String()+"\tdefault:\n\t\tos.Exit(2)\n\t}\n"+
		"\tos.Exit(testing.MainStart(testdeps.TestDeps{}, tests, nil, nil, nil).Run())\n}\n",
		append(flags, "-X", "testing.testBinary=1")...)
	solver = program("solver", "package main\nimport (\n\t\"aixgrade/values\"\n\t\"os\"\n"+imports.String()+
		")\nfunc main() {\n\tswitch os.Args[1] {\n"+serving.String()+"\t}\n}\n", flags...)
	// Every function that is linked also has its name in the program.
	for _, one := range texts {
		for _, name := range one.tests {
			if bytes.Contains(solver, []byte(one.path+"."+name)) {
				return nil, nil
			}
		}
	}
	return tests, solver
}

// The result of a batch: a byte for each text, 1 if it was built; then the two programs, each preceded by its length in
// bytes (8 bytes, big-endian).
func pack(built, tests, solver []byte) []byte {
	for _, program := range [][]byte{tests, solver} {
		length := make([]byte, 8)
		binary.BigEndian.PutUint64(length, uint64(len(program)))
		built = append(append(built, length...), program...)
	}
	return built
}

// Arguments: LANG MODE DEFAULTS FILE...
func main() {
	mode, defaults, files := os.Args[2], os.Args[3], os.Args[4:]
	if mode == "prune" {
		prune(files[0], files[1:])
		return
	}
	if mode == "joins" {
		end, err := strconv.Atoi(files[1])
		own(err)
		set, parsed := parse(files[0])
		fmt.Println((&text{file: files[0], name: files[2], end: end}).mayJoin(set, parsed))
		return
	}
	// As many builders run as there are processors, so each tool uses one processor. From Go 1.19 on, a memory limit
	// replaces garbage collection at regular intervals.
	own(os.Setenv("GOMAXPROCS", "1"))
	if !strings.HasPrefix(runtime.Version(), "go1.18") {
		own(os.Setenv("GOMEMLIMIT", "800MiB"))
		own(os.Setenv("GOGC", "off"))
	}
	var flags []string
	if defaults != "" {
		flags = append(flags, "-X=runtime.godebugDefault="+defaults)
	}
	if mode == "batch" {
		batch(files, flags)
		return
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
