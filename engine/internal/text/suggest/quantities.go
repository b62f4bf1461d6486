package suggest

import (
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// amount matches a number with a unit as people and other programs write them.
var amount = lazy.Regexp{Text: `(?i)^([0-9]+(?:\.[0-9]+)?)\s*(?:([kmgtpe])(i?)(b(?:ytes?)?)?|(b|bytes|cpus?|cores?)|(millicores?|mcpu))$`}

// Quantities returns the quantities that a number with another program's unit may mean, most likely
// first. Kubernetes measures memory in powers of 1024, which other programs call by the names of
// powers of 1000: 512MB means 512Mi, unless the number is round in powers of 1000.
func Quantities(text string) []string {
	m := amount.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil
	}
	number, unit, binary, bytes := m[1], m[2], m[3] != "", m[4] != ""
	decimal := strings.ToUpper(unit)
	if unit == "m" && !bytes || decimal == "K" { // thousandths, and the one small letter of the others
		decimal = strings.ToLower(unit)
	}
	n, err := strconv.Atoi(number)
	round := err == nil && n >= 100 && n%100 == 0
	power := strings.ToUpper(unit) + "i"
	switch {
	case m[5] != "":
		return []string{number}
	case m[6] != "":
		return []string{number + "m"}
	case binary:
		return []string{number + power}
	case !bytes:
		return []string{number + decimal}
	case round:
		return []string{number + decimal, number + power}
	}
	return []string{number + power, number + decimal}
}
