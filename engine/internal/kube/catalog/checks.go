package catalog

import (
	_ "embed" // the generated data
	"fmt"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed data/checks.txt
var checksText string

// Check is one thing that a server asks about a field of a built-in kind before
// it stores an object. It is known from the server's own validation, which was
// asked about it alone (conformance/plugins/validation); the server asks more.
type Check struct {
	// Path leads to the field from the root of the object: names, each with the
	// number of lists below it.
	Path []CheckStep
	// Name says what is asked.
	Name CheckName
	// Update says that an update is asked, too.
	Update bool
	// Zero says that an absent number counts as 0 (Min, NotLess), 0 as absent
	// (Required), and leaving a value out as a change to an empty one (Fixed).
	Zero bool
	// Sketch says that an object that was sent without it is left alone (Required): people
	// try policies with sketches of objects.
	Sketch bool
	// Bound is the smallest or largest number that is allowed (Min, Max), or how many
	// items or bytes there may be (MaxItems, MaxLength).
	Bound int64
	// Values are those that are allowed (Enum).
	Values []string
	// Detail is the field that tells the items of a list apart, empty for lists of
	// texts (Unique), the field beside it whose number must not be larger (NotLess), or
	// the name of a format (Format).
	Detail string
	// Message is the server's text; %s stands for the value, as JSON, for the number of
	// items where there are too many. Where the server has other names for the parts of
	// the value (Fixed), %{path} stands for each text in it.
	Message string
}

// CheckStep is one step of a path.
type CheckStep struct {
	Field string
	Lists int
}

// CheckName is what is asked about a field.
type CheckName string

// Checks are those of a kind.
type Checks struct {
	// List has them in the order of their paths.
	List []Check
	// Below are the first steps of their paths.
	Below []*CheckPlace
}

// CheckPlace is a step of the paths of some checks: an object is walked through once,
// and what is not there ends the way of all checks below it.
type CheckPlace struct {
	CheckStep
	// Here are the checks whose paths end here, by their place in the list.
	Here []int
	// Below are the steps that follow.
	Below []*CheckPlace
}

// NewChecks are the checks of a list.
func NewChecks(list []Check) *Checks {
	out := &Checks{List: list}
	for i, check := range list {
		below := &out.Below
		var place *CheckPlace
		for _, step := range check.Path {
			place = stepOf(below, step)
			below = &place.Below
		}
		place.Here = append(place.Here, i)
	}
	return out
}

// stepOf finds or adds a step.
func stepOf(places *[]*CheckPlace, step CheckStep) *CheckPlace {
	for _, p := range *places {
		if p.CheckStep == step {
			return p
		}
	}
	p := &CheckPlace{CheckStep: step}
	*places = append(*places, p)
	return p
}

// What is asked.
const (
	Required  CheckName = "required"
	Enum      CheckName = "enum"
	Min       CheckName = "min"
	Max       CheckName = "max"
	NotLess   CheckName = "notless" // than the number of another field
	Unique    CheckName = "unique"
	MaxItems  CheckName = "maxitems"
	MaxLength CheckName = "maxlength" // in bytes
	Format    CheckName = "format"
	Fixed     CheckName = "fixed" // an update may not change it
)

// checkBlocks are the lines of each kind.
var checkBlocks = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for rest := checksText; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		n := bodyLength(after)
		if !strings.HasPrefix(line, "#") {
			out[line] = after[:n]
		}
		rest = after[n:]
	}
	return out
})

// Checks are those of a built-in kind that are known for the version.
func (c *Catalog) Checks(kind schema.GroupVersionKind) *Checks {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.checks[kind]; ok {
		return known
	}
	id := kind.GroupVersion().String() + " " + kind.Kind
	var out []Check
	for line := range strings.Lines(checkBlocks()[id]) {
		text, in, err := cutRange(strings.Trim(line, "\t\n"), c.version)
		if err == nil && in {
			var check Check
			if check, err = readCheck(text); err == nil {
				out = append(out, check)
			}
		}
		if err != nil {
			panic(fmt.Sprintf("catalog: %s: %v", id, err)) // a bug of the generator; the tests read every line
		}
	}
	checks := NewChecks(out)
	c.checks[kind] = checks
	return checks
}

// readCheck reads path, name with marks, limit and message.
func readCheck(line string) (Check, error) {
	parts := strings.Split(line, "\t")
	if len(parts) != 4 {
		return Check{}, fmt.Errorf("line %q has not four parts", line)
	}
	marks := strings.Split(parts[1], "+")
	c := Check{Name: CheckName(marks[0]), Detail: parts[2], Message: parts[3]}
	for _, mark := range marks[1:] {
		switch mark {
		case "update":
			c.Update = true
		case "zero":
			c.Zero = true
		case "sketch":
			c.Sketch = true
		default:
			return c, fmt.Errorf("line %q has the unknown mark %q", line, mark)
		}
	}
	for step := range strings.SplitSeq(parts[0], ".") {
		name := strings.TrimRight(step, "[]")
		c.Path = append(c.Path, CheckStep{name, (len(step) - len(name)) / 2})
	}
	var err error
	switch c.Name {
	case Min, Max, MaxItems, MaxLength:
		c.Bound, err = strconv.ParseInt(parts[2], 10, 64)
	case Enum:
		_, list, _ := strings.Cut(c.Message, "supported values: ")
		for value := range strings.SplitSeq(list, ", ") {
			value, err = strconv.Unquote(value)
			c.Values = append(c.Values, value)
		}
	case Required, NotLess, Unique, Format, Fixed:
	default:
		err = fmt.Errorf("line %q has the unknown check %q", line, c.Name)
	}
	return c, err
}
