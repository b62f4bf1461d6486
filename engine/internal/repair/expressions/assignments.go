package expressions

import (
	"strconv"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// assigned writes a mutation that is an assignment, object.spec.replicas = 3, as the
// literal or the patch that sets the field. A comparison means the same there: a
// mutation has nothing to test.
func assigned(d *draft) string {
	place := d.expression.Place.Result
	if place != eval.ApplyConfiguration && place != eval.JSONPatch {
		return d.text
	}
	sign, last := "=", len(d.List)-1
	if !d.syntaxError() {
		sign = "=="
	}
	at := d.find(0, sign)
	for d.Is(last, ";") {
		last--
	}
	if at < 3 || at >= last || d.find(at+1, sign) > 0 || d.combined(at+1, last) || sign == "==" && !d.messages("must evaluate to") {
		return d.text
	}
	steps, key := d.assignedPath(at)
	if len(steps) == 0 {
		return d.text
	}
	value := d.slice(at+1, last)
	if place == eval.JSONPatch {
		path := ""
		for _, step := range steps {
			path += "/" + fieldpath.Escape(step)
		}
		return "[JSONPatch{op: 'add', path: " + strconv.Quote(path) + ", value: " + value + "}]"
	}
	open, closing, name := "", "", "Object"
	for i, step := range steps {
		if key && i == len(steps)-1 {
			open += "{" + strconv.Quote(step) + ": "
		} else {
			open += name + "{" + step + ": "
			name += "." + step
		}
		closing += "}"
	}
	return open + value + closing
}

// assignedPath are the steps to what is assigned, before the sign at a token; key
// reports whether the last one is the key of a map. There are none where a step is
// neither a name nor a text.
func (d *draft) assignedPath(at int) (steps []string, key bool) {
	if !d.Is(0, "object") && !d.Is(0, "Object") {
		return nil, false
	}
	for i := 1; i < at; {
		switch {
		case key:
			return nil, false // nothing is below the value of a map
		case d.Is(i, ".") && d.IsWord(i+1) && i+1 < at:
			steps = append(steps, d.List[i+1].Text)
			i += 2
		case d.Is(i, "[") && d.isString(i+1) && d.Is(i+2, "]") && len(steps) > 0:
			text, ok := d.plainText(i + 1)
			if !ok {
				return nil, false
			}
			steps, key = append(steps, text), true
			i += 3
		default:
			return nil, false
		}
	}
	return steps, key
}
