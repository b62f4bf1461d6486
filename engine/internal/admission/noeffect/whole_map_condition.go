package noeffect

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// mapsOfKeys are the maps that people test when they want to test one key.
var mapsOfKeys = []string{"metadata.labels", "metadata.annotations", "spec.nodeSelector"}

// wholeMap reports a match condition that excludes an object for keys that the policy does not set.
// An example is !has(object.metadata.labels) in a policy that sets one label.
func (r *Run) wholeMap(e *report.Evaluation, doc *scenario.Document, source *rewrite.Source) {
	root := &e.Children[0]
	if e.List != report.ConditionsList || root.Name != "!_" || root.Value != false || len(root.Children) != 1 || root.Children[0].Name != "has" {
		return
	}
	for _, path := range mapsOfKeys {
		of := "object." + path
		if string(source.Runes[root.Start:root.End]) != "!has("+of+")" {
			continue
		}
		has := fieldpath.As[map[string]any](fieldpath.Parse(path).Get(r.Initial.Object))
		for _, key := range setKeys(doc, fieldpath.Parse(path).Last()) {
			if _, there := has[key]; there || len(has) == 0 {
				continue
			}
			text := fmt.Sprintf("!has(%s) || !('%s' in %s)", of, key, of)
			r.add(doc, codes.NearlyMatches, e.Path, root.Span,
				fmt.Sprintf("the condition excludes every object with any %s; this one lacks %s", fieldpath.Parse(path).Last(), key),
				"has() checks for the whole map. To check for one key, use in.",
				source.Fix("Write "+text, rewrite.Replace(root.Start, root.End, text)))
			return
		}
	}
}

// setKeys are the keys that the mutations of a policy write into a map.
func setKeys(doc *scenario.Document, name string) []string {
	mutations := fieldpath.As[[]any](fieldpath.Parse("spec.mutations").Get(doc.Value))
	var out []string
	literal := regexp.MustCompile(name + `:\s*\{\s*["']([^"'\\]+)["']\s*:|["'][^"']*/` + name + `/([^"'/~\\]+)["']`)
	for _, m := range mutations {
		for _, body := range []string{"applyConfiguration", "jsonPatch"} {
			text := fieldpath.As[string](fieldpath.New(body, "expression").Get(m))
			for _, match := range literal.FindAllStringSubmatch(text, -1) {
				if key := match[1] + match[2]; !slices.Contains(out, key) {
					out = append(out, key)
				}
			}
		}
	}
	return out
}
