package html

import (
	"fmt"
	"math"
	"strconv"

	"github.com/preadmit/preadmit/engine/report"
)

// nearly is the share of a limit from which a budget gets its own line.
const nearly = 0.0001

// farAway returns one line for budgets that are all nearly unused; empty if one needs attention, or
// larger objects may exceed one.
func farAway(list []report.Budget) string {
	for _, b := range list {
		if float64(b.Used) >= nearly*float64(b.Limit) || b.Exceeded || b.Outlook != nil && len(b.Outlook.Growth) > 0 {
			return ""
		}
	}
	if len(list) == 1 {
		return "Less than 0.01% of the budget is used"
	}
	return fmt.Sprintf("Less than 0.01%% of each of the %d budgets is used", len(list))
}

// barLength is a bar's length, in its picture's units.
const barLength = 200

// worst returns the highest possible cost; 0 if unknown.
func worst(b report.Budget) int64 {
	if b.Outlook == nil || b.Outlook.Max <= 0 {
		return 0
	}
	return b.Outlook.Max
}

// worstText is the highest cost that the schema allows; empty where it was not estimated.
func worstText(b report.Budget) string {
	switch {
	case worst(b) > 0:
		return report.Number(worst(b))
	case b.Outlook != nil && b.Outlook.Max < 0:
		return "no bound"
	}
	return ""
}

// barEnd returns the cost at a bar's right end: the largest value on it.
func barEnd(b report.Budget) float64 {
	return math.Log10(float64(max(b.Limit, b.Used, worst(b), 10)))
}

// onScale returns a cost's position on its bar: a logarithmic scale from 1.
func onScale(cost int64, b report.Budget) string {
	if cost < 1 {
		return "0"
	}
	return strconv.FormatFloat(barLength*math.Log10(float64(cost))/barEnd(b), 'f', 1, 64)
}

// barTicks are the powers of ten below the limit.
func barTicks(b report.Budget) []int64 {
	var out []int64
	for t := int64(10); t < b.Limit; t *= 10 {
		out = append(out, t)
	}
	return out
}

// barWords describes a bar.
func barWords(b report.Budget) string {
	text := fmt.Sprintf("used %s of %s, %s", report.Number(b.Used), report.Number(b.Limit), share(b))
	switch {
	case worst(b) > 0:
		text += fmt.Sprintf("; the schema allows at most %s", report.Number(worst(b)))
	case b.Outlook != nil && b.Outlook.Max < 0:
		text += "; the schema sets no upper limit"
	}
	return text
}

// share returns the used percentage of a budget.
func share(b report.Budget) string {
	if b.Limit <= 0 {
		return "no limit"
	}
	percent := 100 * float64(b.Used) / float64(b.Limit)
	if b.Used > 0 && percent < 0.01 {
		return "less than 0.01 %"
	}
	return strconv.FormatFloat(percent, 'f', 2, 64) + " %"
}
