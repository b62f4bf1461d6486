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

func TestTopicsBeginWithFirstSteps(t *testing.T) {
	example := func(slug, tag string) Example {
		e := Example{Slug: slug}
		e.Scenario.Tags = []string{tag}
		return e
	}
	got := Topics([]Example{example("a", "Params"), example("b", firstTopic), example("c", "Params"), {Slug: "d"}})
	var names []string
	for _, topic := range got {
		names = append(names, topic.Name)
	}
	if want := []string{firstTopic, "Params", "Other"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
