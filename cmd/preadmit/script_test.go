package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the output that the scripts expect")

// asCommand is set when a test starts its own binary as preadmit.
const asCommand = "PREADMIT_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main() // main exits the program
	}
	testscript.Main(m, map[string]func(){"preadmit": main, "store": store})
}

// store is a program like an object store's: it prints a URL's object, here the file with that
// name.
func store() {
	data, err := os.ReadFile(strings.TrimPrefix(os.Args[1], "s3://audit/"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "store: no such object")
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(data) // the reader notices missing data
}

// TestScripts runs testdata/script: one file per command-line feature, with its expected output.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			return os.Chmod(env.WorkDir, 0o755)
		},
	})
}

// exits is the script command "exits CODE preadmit ARGS...": it runs the program and checks its
// exit code. cmp and stdout can check its output.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}
