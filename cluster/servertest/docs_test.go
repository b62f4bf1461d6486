//go:build apiserver

package servertest

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands print into docs/cluster.md")

// page is the plugin's documentation.
const page = "../../docs/cluster.md"

// transcript is a command and its output.
var transcript = regexp.MustCompile("(?s)```text\n\\$ kubectl preadmit ([^\n]*)\n(.*?)```")

// TestPage runs the documentation's commands as a user with read access, in testdata/docs.
func TestPage(t *testing.T) {
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("testdata/docs")
	t.Cleanup(func() { os.RemoveAll("web") })
	n := 0
	out := transcript.ReplaceAllStringFunc(string(raw), func(block string) string {
		n++
		parts := transcript.FindStringSubmatch(block)
		command, said, exit := parts[1], parts[2], ""
		code, stdout, stderr := shared.run(t, "reader", "", strings.Fields(strings.Trim(command, " "))...)
		if code != 0 {
			exit = "$ echo $?\n" + string(rune('0'+code)) + "\n"
		}
		got := stderr + stdout
		if got != "" && !strings.HasSuffix(got, "\n") {
			got += "\n"
		}
		if got += exit; got != said && !*update {
			t.Errorf("kubectl preadmit %s\nprints\n%s\nand the page has\n%s", command, got, said)
		}
		return "```text\n$ kubectl preadmit " + command + "\n" + got + "```"
	})
	if n < 5 {
		t.Errorf("the page has %d commands", n)
	}
	if *update {
		t.Chdir("../..")
		if err := os.WriteFile(page, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
