package scenario

import (
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine/internal/budget"
)

// Nothing can interrupt the reading of the values of a text. It takes some two and a half times as
// long as that of their positions, so a long text for which there is no time any more is
// given up between them.
const (
	longText   = 256 << 10
	valuesTime = 250 // hundredths of what the positions take
)

// timeForValues ends the run if there is no time for the values of a text whose positions have
// been read since a moment.
func (p *parser) timeForValues(part string, since time.Time) {
	if len(part) > longText {
		p.budget.Ahead(since, valuesTime)
	}
}

// interruptible is a text whose reader stops when the time is over.
type interruptible struct {
	*strings.Reader
	budget *budget.Budget
}

func (r interruptible) Read(to []byte) (int, error) {
	r.budget.Look()
	return r.Reader.Read(to)
}
