package scenario

import (
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// Nothing can interrupt reading a text's values. It takes about two and a half times as long as
// reading their positions. So after the positions, a long text is abandoned if the time left is too
// short.
const (
	longText   = 256 << 10
	valuesTime = 250 // percent of the time for the positions
)

// timeForValues ends the run if there is no time left for the values of a text. since is when
// reading its positions began.
func (p *parser) timeForValues(part string, since time.Time) {
	if len(part) > longText {
		p.budget.Ahead(since, valuesTime)
	}
}

// interruptible is a text whose reader stops when the time is up.
type interruptible struct {
	*strings.Reader
	budget *worklimit.Budget
}

func (r interruptible) Read(to []byte) (int, error) {
	r.budget.Look()
	return r.Reader.Read(to)
}
