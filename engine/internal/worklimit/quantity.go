package worklimit

import (
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
// more digits than [MaxQuantityDigits]. The API server's code does it anyway.
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
