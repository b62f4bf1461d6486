package version

import (
	"fmt"
	"strconv"
	"strings"
)

// Period is a range of minor versions, inclusive. The zero Period includes every version.
type Period struct {
	since, until int // minor numbers; 0 means open
}

// Between returns the period between two minor numbers: 33 and 36 mean 1.33 to 1.36. Zero means
// open. It is for generated data, which has numbers.
func Between(since, until int) Period { return Period{since, until} }

// Includes reports whether v is in the period.
func (p Period) Includes(v Version) bool {
	return v.minor >= p.since && (p.until == 0 || v.minor <= p.until)
}

// In reports whether v is in a range of minor numbers as in generated data, such as "31-33,36-". An
// omitted end is open; a single number is one version.
func (v Version) In(ranges string) (bool, error) {
	for part := range strings.SplitSeq(ranges, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		since, err := bound(from)
		if err != nil {
			return false, fmt.Errorf("range of versions %q: %w", ranges, err)
		}
		until, err := bound(to)
		if err != nil {
			return false, fmt.Errorf("range of versions %q: %w", ranges, err)
		}
		if Between(since, until).Includes(v) {
			return true, nil
		}
	}
	return false, nil
}

func bound(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.Atoi(text)
}
