package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/render/linediff"
	"github.com/preadmit/preadmit/render/text"
)

// fix applies the repairs that are the one likely answer to their problem, and
// prints what they change or writes it.
func (a *app) fix(args []string) (int, error) {
	f := newFlags("fix")
	settings := f.version(false)
	write := f.Bool("write", false, "")
	files := f.list("f")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	set, err := a.readManifests("fix", append(args, *files...))
	if err != nil {
		return 0, err
	}
	settings.apply(&set.Scenario)
	before := map[*manifest]string{}
	for _, file := range set.files {
		before[file] = file.content
	}
	result, err := repairs.All(a.ctx, set.Scenario)
	if err != nil {
		return 0, fmt.Errorf("repairing: %w", err)
	}
	for _, round := range result.Rounds {
		if err := set.edited(round); err != nil {
			return 0, fmt.Errorf("repairing: %w", err)
		}
	}
	var out strings.Builder
	changed := 0
	for _, file := range set.files {
		switch {
		case file.content == before[file]:
		case *write && file.path != "-":
			changed++
			if err := os.WriteFile(file.path, []byte(file.content), 0o666); err != nil {
				return 0, unreadable(err)
			}
		case *write:
			out.WriteString(file.content)
		default:
			changed++
			out.WriteString(linediff.Of(file.path, before[file], file.path, file.content).String())
		}
	}
	for _, r := range result.Applied {
		fmt.Fprintf(a.stderr, "%s: %s [%s]\n", text.Safe(r.Document), text.Safe(r.Title), r.Code)
	}
	left := len(result.Report.Diagnostics.Errors())
	if changed == 0 && len(result.Applied) == 0 {
		fmt.Fprintln(a.stderr, "nothing has a repair with one likely answer")
	}
	if left > 0 {
		fmt.Fprintf(a.stderr, "errors that are left: %d; preadmit check shows them\n", left)
	}
	written := out.String()
	if !*write {
		written = text.Safe(written)
	}
	if err := a.say(written); err != nil {
		return 0, err
	}
	if left > 0 {
		return exitInput, nil
	}
	return exitOK, nil
}
