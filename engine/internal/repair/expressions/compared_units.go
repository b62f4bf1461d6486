package expressions

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// unitsCompared is a duration or quantity that is compared as a text: 'a' < '9m' is decided by the
// first character. It is reported with a pair of values that the comparison gets wrong.
func (d *draft) unitsCompared(i int, content string) *Doubt {
	at := i - 1
	if !orders(d.token(at)) {
		at = i + 1
	}
	other := at - 1
	if other == i {
		other = at + 1
	}
	if !orders(d.token(at)) || d.isString(other) || d.isNumber(other) || i+1 < len(d.List) && d.Is(i+1, ".") {
		return nil
	}
	operator := d.token(at)
	for _, unit := range []struct {
		name    string // and that of the function
		compare func(a, b string) (int, bool)
		values  []string
	}{
		{"duration", compareDurations, []string{"9s", "10s", "90s", "9m", "10m", "90m", "2h", "10h", "100h"}},
		{"quantity", compareQuantities, []string{"9Ki", "100Ki", "9Mi", "10Mi", "9Gi", "10Gi", "100Gi", "1Ti"}},
	} {
		for _, value := range unit.values {
			order, ok := unit.compare(value, content)
			left, right := value, content
			if at > i {
				left, right, order = content, value, -order
			}
			asText := holds(operator, strings.Compare(left, right))
			if !ok || asText == holds(operator, order) {
				continue
			}
			doubt := &Doubt{
				Summary: "a " + unit.name + " is compared as a text",
				Detail: fmt.Sprintf("CEL compares strings character by character: '%s' %s '%s' is %v. Convert both sides with %s(...).",
					left, operator, right, asText, unit.name),
			}
			if c, found := ComparisonAt(d.text, d.List[at].Start); found {
				if strings.HasPrefix(c.Left, "duration(") || strings.HasPrefix(c.Right, "duration(") || strings.HasPrefix(c.Left, "timestamp(") {
					return nil // the types differ
				}
				if field := d.token(other); unit.name == "duration" && strings.HasSuffix(field, "Seconds") {
					length, _ := time.ParseDuration(content)
					number := strconv.Itoa(int(length.Seconds()))
					doubt.Summary, doubt.Detail = field+" is a number of seconds", "A number is not compared with a duration."
					doubt.Repaired = d.with(edit{d.start(i), d.end(i), number})
					return doubt
				}
				one, two := unit.name+"("+c.Left+")", unit.name+"("+c.Right+")"
				doubt.Repaired = c.Expression(one + " " + operator + " " + two)
				if unit.name == "quantity" {
					doubt.Repaired = c.Expression(CompareQuantities(operator, one, two))
				}
			}
			return doubt
		}
	}
	return nil
}

func orders(operator string) bool {
	return slices.Contains([]string{"<", "<=", ">", ">="}, operator)
}

// holds reports whether an operator is true for the order of its sides.
func holds(operator string, order int) bool {
	switch operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// compareDurations is the order of two durations; false unless both are some with a unit.
func compareDurations(a, b string) (int, bool) {
	x, err := time.ParseDuration(a)
	y, errOther := time.ParseDuration(b)
	return cmp.Compare(x, y), err == nil && errOther == nil && b != "0"
}

// compareQuantities is the order of two quantities; false unless both are some with a unit of bytes.
func compareQuantities(a, b string) (int, bool) {
	x, err := resource.ParseQuantity(a)
	y, errOther := resource.ParseQuantity(b)
	return x.Cmp(y), err == nil && errOther == nil && strings.ContainsAny(b, "KMGTPE")
}
