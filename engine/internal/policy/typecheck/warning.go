package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// False alarms of the server's type checker.
const (
	unreached    = "The server's type checker checks this part also for kinds that never reach it"
	unknownTypes = "The server's type checker does not know quantities, int-or-string and undeclared fields"
	mixedTypes   = "The server's type checker wants values of one type here"
)

// withWarning puts the server's warning in front. A finding of ours at the same
// place says the same: only its repair is kept. A warning without one is a false
// alarm, and reported in one line for the whole document.
func (d *document) withWarning(e model.Expression, w Warning, found []finding, cuts map[schema.GroupVersionKind][]span, kinds []matched) []finding {
	text := source.NewText(e.Text)
	for _, problem := range w.problems {
		start, end := placeOf(text, problem)
		i := slices.IndexFunc(found, func(other finding) bool { return other.start == start })
		if i < 0 {
			continue
		}
		f := finding{code: codes.TypeChecking, summary: readable(problem.Message), start: start, end: end}
		f.replacement, f.repaired, f.info = found[i].replacement, found[i].repaired, found[i].info
		f.detail = strings.TrimSpace(found[i].detail + "\n\nThe server reports this in status.typeChecking and accepts the policy.\n\n" + strings.TrimSpace(w.Warning))
		return append([]finding{f}, slices.Delete(slices.Clone(found), i, i+1)...)
	}
	d.falseAlarm(e, text, w, cuts[w.first], kinds)
	return found
}

// falseAlarm reports a warning that is about no problem that we know of.
func (d *document) falseAlarm(e model.Expression, text *source.Text, w Warning, cuts []span, kinds []matched) {
	first := w.problems[0]
	f, why := finding{code: codes.TypeChecking, info: true}, d.falseAlarmOf(text, w, cuts, kinds)
	f.start, f.end = placeOf(text, first)
	if path := d.untold(w.first, string([]rune(e.Text)[:f.end]), e.Text); why == unknownTypes && path != "" {
		why = fmt.Sprintf("%s has no field %s, and the expression tests for it", w.first.Kind, path)
	}
	if why == "" {
		f.summary = readable(first.Message)
		f.detail = "The expression may work at run time: values may have other types than the server's schema says.\n\nThe server reports this in status.typeChecking and accepts the policy.\n\n" + strings.TrimSpace(w.Warning)
		d.report(e, f)
		return
	}
	if i, ok := d.harmless[why]; ok {
		d.out[i].Related = append(d.out[i].Related, diag.Related{Text: d.Text, Span: d.Locate(e.Path), Summary: "the same here"})
		return
	}
	said, _, _ := strings.Cut(first.Message, " applied to ")
	f.summary = fmt.Sprintf("works, but status.typeChecking will say \"%s\"", said)
	f.detail = why + "."
	d.harmless[why] = len(d.out)
	d.report(e, f)
}

// objectPath is a path from the object at the end of a text.
var objectPath = lazy.Regexp{Text: `\bobject((?:\.\??\w+)+)$`}

// untold is the path at the end of a text if a kind does not have it and the expression tests for it.
func (d *document) untold(kind schema.GroupVersionKind, upTo, expression string) string {
	m := objectPath.FindStringSubmatch(upTo)
	t, known := d.catalog.TypeOf(kind)
	if m == nil || !known || !strings.Contains(m[1], "?") && !strings.Contains(expression, "has(object"+m[1]+")") {
		return ""
	}
	path := strings.Split(strings.ReplaceAll(m[1], "?", "")[1:], ".")
	last := len(path) - 1
	if of := t.At(path[:last]...); of == nil || of.Kind != catalog.Struct || of.Open || of.Field(path[last]) != nil {
		return ""
	}
	return strings.Join(path, ".")
}

// falseAlarmOf names a false alarm; it is empty for others than the known ones.
func (d *document) falseAlarmOf(text *source.Text, w Warning, cuts []span, kinds []matched) string {
	problem := w.problems[0]
	start, end := placeOf(text, problem)
	m := noOverload.FindStringSubmatch(problem.Message)
	switch {
	case slices.ContainsFunc(cuts, finding{start: start, end: end}.inside):
		return unreached
	case undefinedField.MatchString(problem.Message):
		return unknownTypes
	case m != nil && len(kinds) > 0:
		if o := mixed(d.checker, kinds[0].view, m[1], splitTypes(m[2])); o != nil && (o.ResultType().Kind() == types.TypeParamKind || len(o.ResultType().Parameters()) > 0) {
			return mixedTypes // it returns the values, and does not compare them
		}
	}
	return ""
}
