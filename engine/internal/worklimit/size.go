package worklimit

import "fmt"

// Extent is how large a value in unstructured form is.
type Extent struct {
	Values int  // with those in it, itself included
	Bytes  int  // about what it takes
	Wide   bool // a text in it is a [WideQuantity]
}

// Measure looks at every value once, which takes far less than any use of an object.
func Measure(value any) Extent {
	e := Extent{Values: 1, Bytes: 16}
	switch v := value.(type) {
	case string:
		e.Bytes += len(v)
		e.Wide = WideQuantity(v)
	case map[string]any:
		for key, item := range v {
			e.add(Measure(item))
			e.Bytes += len(key) + 32
		}
	case []any:
		for _, item := range v {
			e.add(Measure(item))
		}
	}
	return e
}

func (e *Extent) add(other Extent) {
	e.Values += other.Values
	e.Bytes += other.Bytes
	e.Wide = e.Wide || other.Wide
}

// Measure is [Measure]. It ends the run for an object with a quantity that takes minutes to
// read: it does not know which fields are quantities, but no other text looks like that.
func (b *Budget) Measure(value any) Extent {
	e := Measure(value)
	if e.Wide && b != nil {
		b.TooLarge(fmt.Sprintf("a quantity of more than %d digits; the API server computes them all, and does not answer for minutes", MaxQuantityDigits))
	}
	return e
}
