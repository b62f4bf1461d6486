//go:build apiserver

package server

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// now is when the engine is asked.
const now = "2026-01-01T00:00:00Z"

// recorded is a line of the file that -update writes: a request, and what the engine
// answers, which is what the server answered. The engine's own tests read it
// (TestServerAnswers), so that they need no server.
type recorded struct {
	Name    string           `json:"name"`
	Options scenario.Options `json:"options"`
	Request string           `json:"request"`
	Answer  struct {
		Allowed     bool           `json:"allowed"`
		Code        int            `json:"code"`
		Reason      string         `json:"reason,omitempty"`
		Message     string         `json:"message,omitempty"`
		Causes      []string       `json:"causes,omitempty"`
		CauseFields []*string      `json:"causeFields,omitempty"`
		Warnings    []string       `json:"warnings,omitempty"`
		Object      map[string]any `json:"object,omitempty"` // as the validating phase sees it
	} `json:"answer"`
}

// record is the line for an answer that is the server's.
func record(name string, s scenario.Scenario, r *report.Report) recorded {
	out, o := recorded{Name: name, Options: s.Options, Request: s.Request}, r.Outcome
	a := &out.Answer
	a.Allowed, a.Code, a.Reason, a.Message = o.Allowed, o.Code, o.Reason, o.Message
	a.Causes, a.CauseFields, a.Warnings, a.Object = o.Causes, o.CauseFields, o.Warnings, r.Object
	return out
}

// chance is what differs from one run to the next: uids, times, versions of storage, names of
// tokens, addresses and ports.
var chance = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|\\?"resourceVersion\\?":\\?"\d+|kube-api-access-\w+|10\.0\.0\.\d+|\b3[0-2]\d{3}\b`)

// write writes the recorded answers of a release in the order of their names; the cluster that all of
// them share is beside them. A line in which only chance has changed stays as it is. An older release
// has only those answers that the newest one does not give.
func write(kubernetes string, list []recorded, cluster string) error {
	const folder = "../../storage/testdata/server/"
	file, given := folder+"answers.jsonl", map[string]bool{}
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if kubernetes != scenario.DefaultVersion {
		for line := range strings.Lines(string(before)) {
			var r recorded
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				return err
			}
			given[r.answered()] = true
		}
		file = folder + "answers-" + kubernetes + ".jsonl"
		if before, err = os.ReadFile(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	there := map[string]string{}
	for line := range strings.Lines(string(before)) {
		there[chance.ReplaceAllString(line, "")] = line
	}
	slices.SortFunc(list, func(a, b recorded) int { return strings.Compare(a.Name, b.Name) })
	var out strings.Builder
	for _, r := range list {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		text := string(line) + "\n"
		if kept, ok := there[chance.ReplaceAllString(text, "")]; ok {
			text = kept
		}
		if !given[r.answered()] {
			out.WriteString(text)
		}
	}
	if err := os.WriteFile(folder+"cluster.yaml", []byte(cluster), 0o644); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(out.String()), 0o644)
}

// answered is the name of a request and its answer, without chance.
func (r recorded) answered() string {
	raw, _ := json.Marshal(r.Answer)
	return r.Name + chance.ReplaceAllString(string(raw), "")
}
