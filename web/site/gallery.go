package site

import "slices"

// Topic is a heading of the gallery with its examples.
type Topic struct {
	Name     string
	Examples []Example
}

// Topics sorts examples under their first tag, in the order in which the tags
// first appear; an example without tags goes under "Other".
func Topics(examples []Example) []Topic {
	var topics []Topic
	for _, e := range examples {
		name := "Other"
		if len(e.Scenario.Tags) > 0 {
			name = e.Scenario.Tags[0]
		}
		i := slices.IndexFunc(topics, func(t Topic) bool { return t.Name == name })
		if i < 0 {
			topics = append(topics, Topic{Name: name})
			i = len(topics) - 1
		}
		topics[i].Examples = append(topics[i].Examples, e)
	}
	slices.SortStableFunc(topics, func(a, b Topic) int { return rank(a.Name) - rank(b.Name) })
	return topics
}

// firstTopic is where somebody begins who knows nothing yet.
const firstTopic = "First steps"

func rank(topic string) int {
	if topic == firstTopic {
		return 0
	}
	return 1
}
