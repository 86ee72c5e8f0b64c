"""Go programs for tests: what stands in a file as it is, and tasks of a file each done in several
ways, as agents write them.
"""

from __future__ import annotations

import os
from typing import NamedTuple

FOLDER = os.path.join(os.path.dirname(__file__), "programs", "go")


class Program(NamedTuple):
    """One program: its name, the commands it may start, its text, and what it prints or returns (""
    where any output will do).
    """

    name: str
    commands: tuple[str, ...]
    text: str
    prints: str = ""


class Way(NamedTuple):
    """One way of doing a task: what it imports besides, and what stands around ``solve``; INPUT is
    what the task reads, as a string of Go.
    """

    name: str
    imports: str
    text: str


WAYS = (
    Way(
        "plain",
        "fmt log os",
        """
func main() {
	if err := os.WriteFile("input.txt", []byte(INPUT), 0o644); err != nil {
		log.Fatal(err)
	}
	defer os.Remove("input.txt")
	data, err := os.ReadFile("input.txt")
	if err != nil {
		log.Fatal(err)
	}
	answer, err := solve(string(data))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}
""",
    ),
    Way(
        "returned",
        "bufio context fmt os path/filepath github.com/modelcontextprotocol/go-sdk/mcp",
        """
func lines(name string) (text string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("reading: %w", err)
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		text += scanner.Text() + "\\n"
	}
	return text, scanner.Err()
}

func Run(ctx context.Context) ([]mcp.Content, error) {
	folder := filepath.Join("out", "run")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	name := filepath.Join(folder, "input.txt")
	file, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString(INPUT); err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	text, err := lines(name)
	if err != nil {
		return nil, err
	}
	answer, err := solve(text)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return nil, fmt.Errorf("unexpected: %v %v", info, err)
	}
	return []mcp.Content{&mcp.TextContent{Text: answer}}, nil
}
""",
    ),
    Way(
        "at-once",
        "fmt io/fs os path/filepath slices strings sync",
        """
func scatter(folder, text string) error {
	var group sync.WaitGroup
	lines := strings.SplitAfter(text, "\\n")
	failed := make([]error, len(lines))
	for i, line := range lines {
		group.Add(1)
		go func() {
			defer group.Done()
			place := filepath.Join(folder, fmt.Sprintf("part-%d", i%3))
			if failed[i] = os.MkdirAll(place, 0o755); failed[i] == nil {
				failed[i] = os.WriteFile(filepath.Join(place, fmt.Sprintf("%04d.txt", i)), []byte(line), 0o600)
			}
		}()
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func gather(folder string) (string, error) {
	parts := map[string]string{}
	var names []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name := filepath.Base(path)
		parts[name], names = string(data), append(names, name)
		return err
	})
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		text.WriteString(parts[name])
	}
	return text.String(), err
}

func work() (err error) {
	folder, err := os.MkdirTemp(".", "parts-*")
	if err != nil {
		return err
	}
	defer func() {
		if e := os.RemoveAll(folder); err == nil {
			err = e
		}
	}()
	if err := scatter(folder, INPUT); err != nil {
		return err
	}
	text, err := gather(folder)
	if err != nil {
		return err
	}
	answer, err := solve(text)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, "answer-*")
	if err != nil {
		return err
	}
	fmt.Fprint(file, answer)
	file.Close()
	if err := os.Rename(file.Name(), filepath.Join(folder, "answer.txt")); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(folder, "answer.txt"))
	fmt.Println(string(data))
	return err
}

func main() {
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
""",
    ),
)


def everyday() -> list[Program]:
    """Read the programs that stand in a file as they are."""
    return [
        Program(name, tuple([word for word in options if not word.startswith("--")]), text + "\n")
        for (name, *options), text in _parts("everyday.txt")
    ]


def tasks() -> list[Program]:
    """Write each task of a file in every way."""
    made = []
    for (name, *imports), text in _parts("tasks.txt"):
        given, prints, function = text.split("\n==\n", 2)
        for way in WAYS:
            needed = sorted({*imports, *way.imports.split()})
            head = (
                "package main\n\nimport (\n" + "".join([f'\t"{path}"\n' for path in needed]) + ")\n"
            )
            around = way.text.replace("INPUT", f"`{given}\n`")
            made.append(
                Program(f"{name}-{way.name}", (), f"{head}\n{function}\n{around}", prints.strip())
            )
    return made


def _parts(file: str) -> list[tuple[list[str], str]]:
    """Split a file at its lines ``-- NAME WORD...``."""
    with open(os.path.join(FOLDER, file), encoding="utf-8") as opened:
        _, *parts = ("\n" + opened.read()).split("\n-- ")
    return [(head.split(), text) for head, _, text in [part.partition("\n") for part in parts]]
