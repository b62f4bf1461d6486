package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// TestHelp checks that every command has a help text with an example, and that
// it names every flag that the command knows and no other.
func TestHelp(t *testing.T) {
	for _, c := range commands() {
		t.Run(c.name, func(t *testing.T) {
			raw, err := helpTexts.ReadFile("help/" + c.name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			text := string(raw)
			if !strings.HasPrefix(text, "preadmit "+c.name) {
				t.Errorf("the help begins with %.40q", text)
			}
			if c.name != "help" && c.name != "version" && !strings.Contains(text, "\nExample") {
				t.Error("there is no example")
			}
			for _, line := range strings.Split(text, "\n") {
				if len([]rune(line)) > 100 {
					t.Errorf("longer than 100 columns: %s", line)
				}
			}
			for _, name := range flagNames(t, c) {
				if !strings.Contains(text, "-"+name+" ") && !strings.Contains(text, "-"+name+"=") && !strings.Contains(text, "-"+name+"]") {
					t.Errorf("flag -%s is not described", name)
				}
			}
			if !strings.Contains(overview, "preadmit "+c.name) && c.name != "help" {
				t.Error("the overview does not name it")
			}
		})
	}
}

// flagNames asks a command for its flags: they are in the error about an
// unknown one.
func flagNames(t *testing.T, c command) []string {
	t.Helper()
	a := &app{ctx: context.Background(), stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	_, err := c.run(a, []string{"-no-such-flag"})
	if err == nil {
		t.Fatal("an unknown flag is accepted")
	}
	_, list, _ := strings.Cut(err.Error(), "; there are ")
	var names []string
	for name := range strings.SplitSeq(list, ", ") {
		if name = strings.TrimPrefix(name, "-"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func TestFlagsMayFollowArguments(t *testing.T) {
	f := newFlags("x")
	o := f.String("o", "", "")
	rest, err := f.parse([]string{"a", "-o", "json", "b", "--", "-c"})
	if err != nil || *o != "json" || strings.Join(rest, " ") != "a b -c" {
		t.Errorf("got %q, -o %q, %v", rest, *o, err)
	}
	if _, err := f.parse([]string{"a", "-h"}); err != errHelp {
		t.Errorf("-h gives %v", err)
	}
}

// TestBug checks that a panic is reported as a bug of Preadmit.
func TestBug(t *testing.T) {
	var stderr bytes.Buffer
	if code := Run([]string{"eval", "-p", "-"}, panicking{}, os.Stdout, &stderr); code != exitBug {
		t.Errorf("exit code %d, want %d", code, exitBug)
	}
	if !strings.Contains(stderr.String(), "this is a bug in preadmit, please report it at "+codes.ReportAddress+" ") {
		t.Errorf("got %s", stderr.String())
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("on purpose") }
