package site

import (
	"reflect"
	"testing"
)

func TestParagraphs(t *testing.T) {
	got := paragraphs("One `a*b` and\n**two**.\n\n*Three* is 2 * 3 * 4 <b>.\n")
	want := [][]span{
		{{"", "One "}, {"code", "a*b"}, {"", " and\n"}, {"strong", "two"}, {"", "."}},
		{{"em", "Three"}, {"", " is 2 * 3 * 4 <b>."}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestPlain(t *testing.T) {
	if got, want := plain("A `b`\n  **c**.\n\nMore."), "A b c."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTopicsInTheOrderOfLearning(t *testing.T) {
	example := func(slug string, tags ...string) Example {
		e := Example{Slug: slug}
		e.Scenario.Tags = tags
		return e
	}
	got := Topics([]Example{
		example("a", "Params", "advanced"), example("b", "First steps", "beginner"), example("c", "Params", "beginner"),
		example("d", "A new topic"), example("e"),
	})
	var names []string
	for _, topic := range got {
		for _, e := range topic.Examples {
			names = append(names, topic.Name+"/"+e.Slug)
		}
	}
	if want := []string{"First steps/b", "Params/c", "Params/a", "A new topic/d", "Other/e"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
