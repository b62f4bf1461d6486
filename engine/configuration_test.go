package engine

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// TestConfiguration checks on the recorded vectors that a configuration that is
// used again and again gives the same reports as one evaluation of each
// scenario.
func TestConfiguration(t *testing.T) {
	ctx := WithoutExplanations(context.Background())
	groups := []string{"params", "reinvocation", "webhook-responses"}
	for _, path := range vectorFiles(t) {
		if !slices.Contains(groups, filepath.Base(filepath.Dir(path))) {
			continue // the others have nothing more that could be kept between requests
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			v := readVector(t, path)
			var c *Configuration
			var last scenario.BeforeValidation
			for _, request := range v.Requests {
				s := scenarioOf(t, v, request)
				if c == nil || !reflect.DeepEqual(s.BeforeValidation, last) {
					var err error
					last = s.BeforeValidation
					if c, err = Prepare(ctx, s); err != nil {
						t.Fatal(err)
					}
				}
				want, err := Evaluate(ctx, s)
				if err != nil {
					t.Fatal(err)
				}
				want.Findings, want.NotSimulated = nil, nil // findings may add to what is not simulated
				for range 2 {
					got, err := c.Evaluate(ctx, s.Request, nil)
					if err != nil {
						t.Fatal(err)
					}
					got.NotSimulated = nil
					if a, b := indented(t, want), indented(t, got); a != b {
						t.Errorf("%s: got\n%s\nwant\n%s", request.Name, b, a)
					}
				}
			}
		})
	}
}

func indented(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
