package cli

import (
	"bytes"
	"context"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// allCommands returns the program and its commands by name.
func allCommands() iter.Seq2[string, *cobra.Command] {
	a := &app{ctx: context.Background(), stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	return func(yield func(string, *cobra.Command) bool) {
		list := []*cobra.Command{a.root()}
		for len(list) > 0 {
			c := list[0]
			if list = append(list[1:], c.Commands()...); !yield(nameOf(c), c) {
				return
			}
		}
	}
}

// TestHelp checks that every command and flag has a description, in lines that fit.
func TestHelp(t *testing.T) {
	for name, c := range allCommands() {
		var out bytes.Buffer
		if code := Run(append([]string{"help"}, strings.Fields(name)...), nil, &out, &out); code != exitOK {
			t.Errorf("%s: exit code %d", name, code)
		}
		if strings.HasPrefix(name, "completion") {
			continue // these texts are cobra's
		}
		if c.Short == "" || c.Long == "" || c.HasParent() && !strings.Contains(c.Example, "preadmit "+name) {
			t.Errorf("%s has no summary, description or example", name)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if len([]rune(line)) > 100 && !strings.HasPrefix(line, "  preadmit ") {
				t.Errorf("%s: longer than 100 columns: %s", name, line)
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || !strings.Contains(out.String(), "--"+f.Name) {
				t.Errorf("%s: --%s is not described", name, f.Name)
			}
		})
	}
}

// TestManual checks the pages for text that a formatter would misinterpret.
func TestManual(t *testing.T) {
	for name := range allCommands() {
		var out bytes.Buffer
		if code := Run([]string{"help", "--man", name}, nil, &out, &out); code != exitOK {
			t.Fatalf("%s: exit code %d", name, code)
		}
		allowed := []string{".TH", ".SH", ".PP", ".RS", ".RE", ".EX", ".EE", ".nh", ".SS"}
		for line := range strings.SplitSeq(out.String(), "\n") {
			request, _, _ := strings.Cut(line, " ")
			if strings.HasPrefix(line, ".") && !slices.Contains(allowed, request) || strings.HasPrefix(line, "'") {
				t.Errorf("%s: a line of text is a request: %s", name, line)
			}
		}
		if !strings.Contains(out.String(), ".SH NAME\npreadmit") {
			t.Errorf("%s has no name: %s", name, out.String())
		}
		if _, err := exec.LookPath("man"); err != nil {
			continue
		}
		page := exec.Command("man", "-l", "--warnings", "-")
		page.Stdin = bytes.NewReader(out.Bytes())
		page.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=120")
		var complaints bytes.Buffer
		page.Stderr = &complaints
		shown, err := page.Output()
		if err != nil || complaints.Len() > 0 || !strings.Contains(string(shown), "NAME") {
			t.Errorf("%s: man says %s%s, %v", name, shown, complaints.String(), err)
		}
	}
}

// TestBug checks that a panic is reported as a bug in Preadmit.
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
