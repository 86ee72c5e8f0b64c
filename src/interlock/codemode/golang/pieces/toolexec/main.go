// What stands between the Go command and its compiler where the library cannot be given checks: calls of the program's own package to the library
// become calls to package program/interlock, which asks first. `go build -toolexec THIS`; `THIS check FILE...` prints what it cannot vouch for.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

const (
	module  = "program"           // the package that is rewritten
	guard   = "program/interlock" // what its calls lead to
	starter = "interlock_guard.go"
	alias   = "interlock_guard"
	failed  = 3
)

func main() {
	if len(os.Args) < 3 {
		fail(errors.New("usage: TOOL ARGUMENT... or check FILE..."))
	}
	if os.Args[1] == "check" {
		os.Exit(check(os.Args[2:]))
	}
	tool, arguments := os.Args[1], os.Args[2:]
	compiles := strings.TrimSuffix(filepath.Base(tool), ".exe") == "compile"
	if compiles && arguments[0] == "-V=full" {
		told, err := exec.Command(tool, arguments...).Output()
		if err != nil {
			fail(err)
		}
		fmt.Printf("%s+interlock.%s\n", bytes.TrimSpace(told), own())
		return
	}
	if compiles && os.Getenv("TOOLEXEC_IMPORTPATH") == module {
		var err error
		if arguments, err = rewritten(arguments); err != nil {
			fail(err)
		}
	}
	run := exec.Command(tool, arguments...)
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := run.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			os.Exit(exit.ExitCode())
		}
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "interlock:", err)
	os.Exit(failed)
}

// own tells this program from every other: a compiler behind another one has another name, so that nothing it made before is taken from a cache.
func own() string {
	path, err := os.Executable()
	if err != nil {
		fail(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		fail(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))[:16]
}

func check(files []string) int {
	found := 0
	for _, file := range files {
		_, unknown, err := rewrite(file)
		if err != nil {
			return 0 // the compiler says it better
		}
		for _, one := range unknown {
			fmt.Println(one)
			found++
		}
	}
	if found > 0 {
		return failed
	}
	return 0
}

// rewritten puts what a package's files become in the place of the files in a compiler's arguments.
func rewritten(arguments []string) ([]string, error) {
	folder := ""
	for i, argument := range arguments {
		if argument == "-o" && i+1 < len(arguments) {
			folder = filepath.Dir(arguments[i+1])
		}
	}
	if folder == "" {
		return nil, errors.New("the compiler was not told where to write")
	}
	changed := append([]string(nil), arguments...)
	for i, argument := range arguments {
		if strings.HasPrefix(argument, "-") || filepath.Ext(argument) != ".go" || filepath.Base(argument) == starter {
			continue
		}
		text, unknown, err := rewrite(argument)
		if err != nil {
			continue // it is no Go: the compiler says so, and makes nothing of it
		}
		if len(unknown) > 0 {
			return nil, errors.New(strings.Join(unknown, "\n"))
		}
		changed[i] = filepath.Join(folder, "interlock_"+strconv.Itoa(i)+"_"+filepath.Base(argument))
		if err := os.WriteFile(changed[i], text, 0o600); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

type edit struct {
	start, end int
	text       string
}

// rewrite returns a file with its calls replaced, every line and column where it was, and what of it cannot be vouched for.
func rewrite(path string) (text []byte, unknown []string, err error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, 0)
	if err != nil {
		return nil, nil, err
	}
	doubt := func(at token.Pos, what string) {
		unknown = append(unknown, fmt.Sprintf("%s:%d: %s", filepath.Base(path), set.Position(at).Line, what))
	}
	imported := map[string]string{}
	for _, one := range file.Imports {
		where, err := strconv.Unquote(one.Path.Value)
		if err != nil {
			return nil, nil, err
		}
		name := where[strings.LastIndex(where, "/")+1:]
		if one.Name != nil {
			name = one.Name.Name
		}
		_, mixed := mixtures[where]
		switch {
		case !mixed && !harmless(where):
			doubt(one.Pos(), "import "+one.Path.Value)
		case mixed && (name == "." || name == "_"), name == "." && excepted(where):
			doubt(one.Pos(), "import "+name+" "+one.Path.Value)
		case name != "." && name != "_":
			imported[name] = where
		}
	}
	edits, used := []edit{}, map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CompositeLit:
			if name, ok := named(node.Type, imported); ok && ownTypes[name] {
				doubt(node.Pos(), name+" made by hand")
			}
		case *ast.AssignStmt:
			for _, to := range node.Lhs {
				if selector, ok := to.(*ast.SelectorExpr); ok && fields[selector.Sel.Name] {
					doubt(to.Pos(), "a change of ."+selector.Sel.Name)
				}
			}
		case *ast.SelectorExpr:
			name, ok := named(node, imported)
			if !ok {
				if methods[node.Sel.Name] {
					doubt(node.Pos(), "a call of ."+node.Sel.Name)
				}
				return true
			}
			from := imported[node.X.(*ast.Ident).Name]
			rows, mixed := mixtures[from]
			switch to, known := rows.calls[node.Sel.Name]; {
			case !mixed && !exceptions[name]:
			case known:
				end := set.Position(node.End())
				start := set.Position(node.Pos())
				edits = append(edits, edit{start.Offset, end.Offset, fmt.Sprintf("%s.%s/*line :%d:%d*/", alias, to, end.Line, end.Column)})
				used[node.X.(*ast.Ident).Name] = rows.any
			case mixed && rows.keeps(node.Sel.Name):
			default:
				doubt(node.Pos(), name)
			}
			return false
		}
		return true
	})
	return replaced(source, full, set.Position(file.Name.End()).Offset, edits, used), unknown, nil
}

// named tells which name of an imported package an expression is.
func named(expression ast.Expr, imported map[string]string) (string, bool) {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	x, ok := selector.X.(*ast.Ident)
	if !ok || x.Obj != nil {
		return "", false
	}
	from, ok := imported[x.Name]
	return from + "." + selector.Sel.Name, ok
}

func replaced(source []byte, full string, clause int, edits []edit, used map[string]string) []byte {
	if len(edits) > 0 {
		edits = append(edits, edit{clause, clause, fmt.Sprintf("; import %s %q", alias, guard)})
	}
	sort.Slice(edits, func(i, j int) bool { return edits[i].start < edits[j].start })
	var made bytes.Buffer
	fmt.Fprintf(&made, "//line %s:1:1\n", full)
	at := 0
	for _, one := range edits {
		made.Write(source[at:one.start])
		made.WriteString(one.text)
		at = one.end
	}
	made.Write(source[at:])
	for _, name := range sorted(used) {
		fmt.Fprintf(&made, "\nvar _ = %s.%s\n", name, used[name]) // an import of which nothing is left is still an import
	}
	return made.Bytes()
}

func sorted(used map[string]string) []string {
	names := []string{}
	for name := range used {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
