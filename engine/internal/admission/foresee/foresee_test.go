package foresee

import (
	"encoding/json"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestObjects reads the smallest objects and those of the system as their kinds: each field is
// one of the kind, in every release that serves it.
func TestObjects(t *testing.T) {
	for _, v := range version.All() {
		kinds, err := catalog.For(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range kinds.Kinds() {
			object := Smallest(kinds, r.GVK)
			if _, problems := kinds.Normalise(r.GVK, object); len(problems) > 0 {
				t.Errorf("%v: %v", r.GVK, problems)
			}
		}
		list := SystemRequests(kinds, cluster.New(nil, someTime, false))
		if len(list) < 35 {
			t.Errorf("%v: only %d requests of the system", v, len(list))
		}
		for _, s := range list {
			for _, object := range []map[string]any{s.Object, s.OldObject} {
				if object == nil {
					continue
				}
				if _, problems := kinds.Normalise(s.Kind, object); len(problems) > 0 {
					t.Errorf("%s: %v", s.What, problems)
				}
			}
			if s.Then == "" || s.Component == "" {
				t.Errorf("%s does not say what happens without it", s.What)
			}
		}
	}
}

// TestFileNames looks for kinds of the file that no release has.
func TestFileNames(t *testing.T) {
	kinds, err := catalog.For(version.Newest())
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range kinds.Kinds() {
		known[r.GVK.GroupVersion().String()+"/"+r.GVK.Kind] = true
		for _, sub := range r.Subresources {
			known[sub.GroupVersion().String()+"/"+sub.Kind] = true
		}
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(smallestText, &named); err != nil {
		t.Fatal(err)
	}
	for name := range named {
		if !known[name] {
			t.Errorf("no release has the kind %s", name)
		}
	}
}
