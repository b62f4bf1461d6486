package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// completed asks a shell what it completes. Each of these programs gets the path of
// the script and a command line, and prints one word a line.
var completed = map[string][]string{
	"bash": {"bash", "--norc", "-c", `source "$1"; COMP_WORDS=($2); [ "${2% }" = "$2" ] || COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _preadmit; printf '%s\n' "${COMPREPLY[@]}"`, "bash"},
	// zsh completes in its line editor only, so the functions that take the words are ours.
	"zsh": {"zsh", "-f", "-c", `
		compdef() { }; _describe() { print -l ${(P)2}; }; _files() { print FILES; }
		compadd() { [ "$1" != -- ] || shift; print -l -- "$@"; }
		source "$1"; words=(${(z)2}); [ "${2% }" = "$2" ] || words+=(""); CURRENT=$#words; _preadmit`, "zsh"},
	"fish": {"fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, "--"},
	"powershell": {"pwsh", "-NoProfile", "-Command", `
		. $args[0]; ([System.Management.Automation.CommandCompletion]::CompleteInput($args[1], $args[1].Length, $null)).CompletionMatches.CompletionText`},
}

// TestCompletion asks the shells that this machine has. bash is always there but on
// Windows.
func TestCompletion(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell, func(t *testing.T) {
			var out bytes.Buffer
			if code := Run([]string{"completion", shell}, nil, &out, &out); code != exitOK {
				t.Fatalf("exit code %d: %s", code, out.String())
			}
			command := completed[shell]
			if _, err := exec.LookPath(command[0]); err != nil && (shell != "bash" || runtime.GOOS == "windows") {
				t.Skipf("%s is missing here", command[0])
			}
			script := filepath.Join(t.TempDir(), "preadmit.ps1")
			if err := os.WriteFile(script, out.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			for line, want := range map[string]string{
				"preadmit re":                "replay",
				"preadmit eval -kubernetes ": "1.31",
				"preadmit test -o ju":        "junit",
				"preadmit eval -authorizer ": "deny",
				"preadmit eval -lim":         "-limits",
				"preadmit completion f":      "fish",
				"preadmit help lice":         "licenses",
			} {
				words := append(slices.Clone(command[1:]), script, line)
				got, err := exec.Command(command[0], words...).CombinedOutput()
				found := slices.ContainsFunc(strings.Split(string(got), "\n"), func(word string) bool {
					word, _, _ = strings.Cut(strings.TrimSpace(word), "\t") // fish adds the summary
					word, _, _ = strings.Cut(word, ":")                     // and so does zsh
					return slices.Contains(strings.Fields(word), want)
				})
				if err != nil || !found {
					t.Errorf("%q completes to %s, %v; want %s", line, got, err, want)
				}
			}
		})
	}
	var out bytes.Buffer
	if code := Run([]string{"completion", "tcsh"}, nil, &out, &out); code != exitInput || !strings.Contains(out.String(), "powershell") {
		t.Errorf("an unknown shell gives %d: %s", code, out.String())
	}
}

// TestManual checks the pages for what a formatter would obey by mistake.
func TestManual(t *testing.T) {
	for _, c := range append(commands(), command{name: ""}) {
		var out bytes.Buffer
		if code := Run([]string{"help", "-man", c.name}[:2+min(len(c.name), 1)], nil, &out, &out); code != exitOK {
			t.Fatalf("%s: exit code %d", c.name, code)
		}
		allowed := []string{".TH", ".SH", ".nf", ".fi"}
		for line := range strings.SplitSeq(out.String(), "\n") {
			request, _, _ := strings.Cut(line, " ")
			if strings.HasPrefix(line, ".") && !slices.Contains(allowed, request) || strings.HasPrefix(line, "'") {
				t.Errorf("%s: a line of text is a request: %s", c.name, line)
			}
		}
		if !strings.Contains(out.String(), ".SH NAME\npreadmit") {
			t.Errorf("%s has no name: %s", c.name, out.String())
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
			t.Errorf("%s: man says %s%s, %v", c.name, shown, complaints.String(), err)
		}
	}
}

func TestVersionJSON(t *testing.T) {
	var out bytes.Buffer
	if code := Run([]string{"version", "-o", "json"}, nil, &out, &out); code != exitOK {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	var b build
	if err := json.Unmarshal(out.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if b.Version == "" || b.Go != runtime.Version() || b.Kubernetes.Oldest != "1.30" || b.Kubernetes.Newest == "" {
		t.Errorf("got %s", out.String())
	}
	defer func(version, commit string) { releaseVersion, releaseCommit = version, commit }(releaseVersion, releaseCommit)
	releaseVersion, releaseCommit = "v1.2.3", "0123abc"
	if b := thisBuild(); b.Version != "v1.2.3" || b.Commit != "0123abc" || b.Modified {
		t.Errorf("a release says %s", fmt.Sprint(b))
	}
}
