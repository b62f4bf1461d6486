package budget

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// MaxQuantityDigits is how many decimal digits reading a quantity, or arithmetic with
// it, may need.
const MaxQuantityDigits = 100_000

// smallExponent is an exponent of a quantity that its reading writes out in digits
// before it rounds.
var smallExponent = lazy.Regexp{Text: `^[-+]?[0-9.]*[eE]-([0-9]+)$`}

// digits is a number that is nothing but digits.
var digits = lazy.Regexp{Text: `^[-+]?[0-9.]+[a-zA-Z]{0,2}$`}

// WideQuantity reports whether a text, read as a quantity, would be written out in
// more digits than [MaxQuantityDigits]. The API server's code does it all the same.
func WideQuantity(text string) bool {
	if len(text) > MaxQuantityDigits {
		return digits.MatchString(text)
	}
	if len(text) < 4 || !strings.ContainsRune("+-.0123456789eE", rune(text[0])) {
		return false // as most texts are
	}
	m := smallExponent.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	n, err := strconv.Atoi(m[1])
	return err != nil || n > MaxQuantityDigits
}

// Quantities ends the run for an object with a quantity that takes minutes to read.
// It does not know which fields are quantities; no other text looks like that.
func (b *Budget) Quantities(value any) {
	if b == nil {
		return
	}
	switch v := value.(type) {
	case string:
		if WideQuantity(v) {
			b.TooLarge(fmt.Sprintf("a quantity of more than %d digits; the API server computes them all, and does not answer for minutes", MaxQuantityDigits))
		}
	case map[string]any:
		for _, item := range v {
			b.Quantities(item)
		}
	case []any:
		for _, item := range v {
			b.Quantities(item)
		}
	}
}
