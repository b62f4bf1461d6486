package html

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/preadmit/preadmit/engine/report"
)

// maxUnfolded is how many steps a lazy view shows with their expressions, unless the
// reader opens others.
const maxUnfolded = 12

// wanted is the one fold whose content is asked for.
type wanted struct {
	key  string
	html strings.Builder
}

// isOpen reports whether the reader has opened a fold.
func (v View) isOpen(key string) bool { return slices.Contains(v.Open, key) }

// has reports whether the content of a closed fold is rendered.
func (v View) has(key string) bool {
	return !v.Lazy || v.isOpen(key) || v.wanted != nil && v.wanted.key == key
}

// content is the content of a fold. What is asked for goes where it is wanted.
func (v View) content(key string) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		children := templ.GetChildren(ctx)
		ctx = templ.ClearChildren(ctx)
		if v.wanted != nil && v.wanted.key == key {
			w = &v.wanted.html
		}
		return children.Render(ctx, w)
	})
}

// Unfold renders what a lazy view has left out of one fold; empty when there is no such
// fold. Those around it must be in Open.
func (v View) Unfold(ctx context.Context, key string) (string, error) {
	v.wanted = &wanted{key: key}
	for _, part := range []templ.Component{v.Outcome(), v.Steps()} {
		if err := part.Render(ctx, io.Discard); err != nil {
			return "", err
		}
	}
	return v.wanted.html.String(), nil
}

// unfolded are the indices of the steps that show their expressions: all that have
// something to say. A lazy view of many shows those of the first steps that deny or fail, and
// then of the first others.
func (v View) unfolded() map[int]bool {
	out := map[int]bool{}
	speaks := func(first bool) {
		for i, s := range v.Report.Steps {
			if v.Lazy && len(out) >= maxUnfolded {
				return
			}
			if opensByDefault(s) && hasDetail(s) && (!first || stops(s)) {
				out[i] = true
			}
		}
	}
	speaks(true)
	speaks(false)
	return out
}

// stops reports whether a step denied the request, or failed.
func stops(s report.Step) bool {
	state := StepState(s)
	return state == Denied || state == Failed
}

// placesOf says for the expressions of a step which range of which text has them, so that
// the page knows in which fold the result of one is.
func placesOf(s report.Step) templ.Attributes {
	first, last := -1, -1
	s.Evaluations(func(e *report.Evaluation) {
		if e.Text != s.Text || e.Span.End <= e.Span.Start {
			return
		}
		if first < 0 || e.Span.Start < first {
			first = e.Span.Start
		}
		last = max(last, e.Span.End)
	})
	if first < 0 {
		return nil
	}
	return templ.Attributes{"data-text": string(s.Text), "data-start": first, "data-end": last}
}
