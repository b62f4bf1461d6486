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
	return topics
}
