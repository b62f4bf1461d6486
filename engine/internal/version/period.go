package version

import (
	"fmt"
	"strconv"
	"strings"
)

// Period is a run of minor versions, both ends included. The zero Period
// includes every version.
type Period struct {
	since, until int // minor numbers; 0 is open
}

// Between is the period from one minor number to another: 33 and 36 are 1.33 to
// 1.36. Zero leaves an end open. It is for generated data, which has numbers.
func Between(since, until int) Period { return Period{since, until} }

// Includes reports whether v is in the period.
func (p Period) Includes(v Version) bool {
	return v.minor >= p.since && (p.until == 0 || v.minor <= p.until)
}

// In reports whether v is in one of the ranges of minor numbers that the lines of
// generated data have, such as "31-33,36-": an end that is left out is open, a
// number alone is one version.
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
