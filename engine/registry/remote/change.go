package remote

import (
	"errors"
	"maps"
	"reflect"
	"slices"
)

// change is how one JSON value becomes another. The zero change says that nothing changes. One of
// To, Fields with Gone, Items and Between is set. It is no JSON Patch, because json-patch applies those
// to a text only, and writing that text is what takes long.
type change struct {
	// To has the new value, which nothing is known of, as its only item: null is a value, too.
	To []any `json:"to,omitempty"`
	// Fields are the changes of a map by key. Gone are the keys that it loses.
	Fields map[string]change `json:"fields,omitempty"`
	Gone   []string          `json:"gone,omitempty"`
	// Items are the changes of a list by index.
	Items map[int]change `json:"items,omitempty"`
	// Between is what a list of another length has behind the first Start items and before the last
	// End items of the old one.
	Between []any `json:"between,omitempty"`
	Start   int   `json:"start,omitempty"`
	End     int   `json:"end,omitempty"`
	Spliced bool  `json:"spliced,omitempty"`
}

func (c change) none() bool {
	return c.To == nil && len(c.Fields) == 0 && len(c.Gone) == 0 && len(c.Items) == 0 && !c.Spliced
}

// between returns the change from one value to another. It shares values with to.
func between(from, to any) change {
	switch to := to.(type) {
	case map[string]any:
		if old, ok := from.(map[string]any); ok && (old == nil) == (to == nil) {
			return betweenMaps(old, to)
		}
	case []any:
		if old, ok := from.([]any); ok && (old == nil) == (to == nil) {
			return betweenLists(old, to)
		}
	case string:
		if old, ok := from.(string); ok && old == to {
			return change{}
		}
	default:
		if reflect.DeepEqual(from, to) {
			return change{}
		}
	}
	return change{To: []any{to}}
}

func betweenMaps(from, to map[string]any) (c change) {
	if reflect.ValueOf(from).UnsafePointer() == reflect.ValueOf(to).UnsafePointer() {
		return change{}
	}
	found := 0
	for key, value := range to {
		old, there := from[key]
		if there {
			found++
		}
		of := change{To: []any{value}}
		if there {
			of = between(old, value)
		}
		if of.none() {
			continue
		}
		if c.Fields == nil {
			c.Fields = map[string]change{}
		}
		c.Fields[key] = of
	}
	if found == len(from) {
		return c
	}
	for key := range from {
		if _, there := to[key]; !there {
			c.Gone = append(c.Gone, key)
		}
	}
	return c
}

func betweenLists(from, to []any) (c change) {
	if len(from) == len(to) {
		if len(to) == 0 || &from[0] == &to[0] {
			return change{}
		}
		for i := range to {
			of := between(from[i], to[i])
			if of.none() {
				continue
			}
			if c.Items == nil {
				c.Items = map[int]change{}
			}
			c.Items[i] = of
		}
		return c
	}
	shorter := min(len(from), len(to))
	for c.Start < shorter && between(from[c.Start], to[c.Start]).none() {
		c.Start++
	}
	for c.End < shorter-c.Start && between(from[len(from)-1-c.End], to[len(to)-1-c.End]).none() {
		c.End++
	}
	c.Between, c.Spliced = to[c.Start:len(to)-c.End], true
	return c
}

// applied returns the changed value. It shares with the old one what does not change, and with the
// change what is new. Neither is changed. It fails if the change was made for another value.
func (c change) applied(value any) (any, error) {
	switch {
	case c.none():
		return value, nil
	case len(c.To) == 1:
		return c.To[0], nil
	}
	switch value := value.(type) {
	case map[string]any:
		return c.ofMap(value)
	case []any:
		return c.ofList(value)
	}
	return nil, errOther
}

var errOther = errors.New("the change is one of another value")

func (c change) ofMap(value map[string]any) (any, error) {
	if len(c.Items) > 0 || c.Spliced {
		return nil, errOther
	}
	out := maps.Clone(value)
	for key, of := range c.Fields {
		to, err := of.applied(value[key])
		if err != nil {
			return nil, err
		}
		out[key] = to
	}
	for _, key := range c.Gone {
		delete(out, key)
	}
	return out, nil
}

func (c change) ofList(value []any) (any, error) {
	if len(c.Fields) > 0 || len(c.Gone) > 0 {
		return nil, errOther
	}
	if c.Spliced {
		if c.Start < 0 || c.End < 0 || c.Start+c.End > len(value) {
			return nil, errOther
		}
		return append(append(append([]any{}, value[:c.Start]...), c.Between...), value[len(value)-c.End:]...), nil
	}
	out := slices.Clone(value)
	for i, of := range c.Items {
		if i < 0 || i >= len(value) {
			return nil, errOther
		}
		to, err := of.applied(value[i])
		if err != nil {
			return nil, err
		}
		out[i] = to
	}
	return out, nil
}
