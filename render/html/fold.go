package html

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/preadmit/preadmit/engine/report"
)

// maxUnfolded limits how many steps a lazy view shows with their expressions, unless the reader
// opens others.
const maxUnfolded = 12

// wanted is the fold whose content is requested.
type wanted struct {
	key  string
	html strings.Builder
}

// isOpen reports whether the reader has opened a fold.
func (v View) isOpen(key string) bool { return slices.Contains(v.Open, key) }

// has reports whether a closed fold's content is rendered.
func (v View) has(key string) bool {
	return !v.Lazy || v.isOpen(key) || v.wanted != nil && v.wanted.key == key
}

// content renders a fold's content. Requested content goes to its own writer.
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

// Unfold renders one fold's content that a lazy view omitted; empty if there is no such fold. The
// enclosing folds must be in Open.
func (v View) Unfold(ctx context.Context, key string) (string, error) {
	v.wanted = &wanted{key: key}
	for _, part := range []templ.Component{v.Outcome(), v.Steps()} {
		if err := part.Render(ctx, io.Discard); err != nil {
			return "", err
		}
	}
	return v.wanted.html.String(), nil
}

// unfolded returns the indices of steps that show their expressions: all with something to show. A
// lazy view of many shows the first steps that deny or fail, and then the first others.
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

// placesOf returns the text ranges of a step's expressions, so that the page finds the fold with an
// expression's result.
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
