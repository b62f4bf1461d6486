package engine

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The recorded answers in testdata/vectors-truth are in the format of
// testdata/vectors, with the fields of truthRequest in addition. There the
// schemas and custom resource rules answer, and CustomResourceDefinitions
// are installed.

const truthRoot = "testdata/vectors-truth"

type truthVector struct {
	vector
	Plugins *scenario.Plugins `json:"plugins"`
	Install []struct {
		Kind, Name, Message string
		Warnings            []string
		// Unordered says that the message lists errors in an order that varies.
		Unordered bool
	} `json:"install"`
	Requests []truthRequest `json:"requests"`
}

type truthRequest struct {
	vectorRequest
	Answer struct {
		recordedAnswer
		CauseFields []*string `json:"causeFields"`
		// Unordered names what has an order that varies from call to call.
		Unordered []string `json:"unordered"`
	} `json:"answer"`
}

func TestCustomResources(t *testing.T) {
	requests, installs := 0, 0
	err := filepath.WalkDir(truthRoot, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		var v truthVector
		readYAML(t, path, &v)
		requests += len(v.Requests)
		t.Run(strings.TrimPrefix(filepath.ToSlash(path), truthRoot+"/"), func(t *testing.T) {
			t.Parallel()
			for _, r := range v.Requests {
				t.Run(r.Name, func(t *testing.T) { checkTruth(t, v, r) })
			}
			t.Run("install", func(t *testing.T) { checkInstalls(t, v) })
		})
		installs += strings.Count(v.Cluster, "kind: CustomResourceDefinition\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if requests < 98 || installs < 60 {
		t.Errorf("only %d requests and %d definitions: vectors are missing", requests, installs)
	}
}

func (v truthVector) scenario(t *testing.T, r vectorRequest) scenario.Scenario {
	s := scenarioOf(t, v.vector, r)
	s.Options.Plugins = v.Plugins
	return s
}

func checkTruth(t *testing.T, v truthVector, r truthRequest) {
	got, err := Evaluate(context.Background(), v.scenario(t, r.vectorRequest), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := r.Answer.recordedAnswer
	if slices.Contains(r.Answer.Unordered, "causes") && sameLetters(want.Message, got.Outcome.Message) {
		want.Message = got.Outcome.Message
	}
	for _, d := range differences(want, got, r.vectorRequest) {
		t.Error(d)
	}
	if want, got := fields(r.Answer.CauseFields), fields(got.Outcome.CauseFields); r.Answer.CauseFields != nil && !reflect.DeepEqual(sorted(want), sorted(got)) {
		t.Errorf("fields of causes:\nwant %q\n got %q", want, got)
	}
}

// sameLetters reports whether two texts may be the same parts in another order.
func sameLetters(a, b string) bool {
	return slices.Equal(slices.Sorted(slices.Values([]rune(a))), slices.Sorted(slices.Values([]rune(b))))
}

func fields(list []*string) []string {
	out := []string{}
	for _, f := range list {
		out = append(out, *cmp.Or(f, new(string)))
	}
	return out
}

// checkInstalls compares what the server said about definitions. About those that are not in
// the list it said nothing.
func checkInstalls(t *testing.T, v truthVector) {
	s := v.scenario(t, vectorRequest{})
	s.Request = ""
	got, err := Evaluate(context.Background(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]report.Install{}
	for _, in := range got.Install {
		if in.Message != "" || len(in.Warnings) > 0 {
			answers[in.Kind+"/"+in.Name] = in
		}
	}
	for _, want := range v.Install {
		name := want.Kind + "/" + want.Name
		got, ok := answers[name]
		delete(answers, name)
		if !ok {
			t.Errorf("%s: want %q %q, got no answer", name, want.Message, want.Warnings)
			continue
		}
		if got.Message != want.Message && !(want.Unordered && sameLetters(got.Message, want.Message)) {
			t.Errorf("%s:\nwant %s\n got %s", name, want.Message, got.Message)
		}
		if !slices.Equal(sorted(got.Warnings), sorted(want.Warnings)) {
			t.Errorf("%s: warnings:\nwant %q\n got %q", name, want.Warnings, got.Warnings)
		}
	}
	for name, in := range answers {
		t.Errorf("%s: the server accepts it, got %q %q", name, in.Message, in.Warnings)
	}
}
