package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/preadmit/preadmit/scripts/hostile/scenarios"
)

const (
	maxExponent = 1.3
	// leastSeconds is what the smaller of two sizes must take besides the program's start, so that
	// their ratio is not chance.
	leastSeconds = 0.1
)

// growths prints, for each kind, the seconds at an eighth, a quarter, half, all and twice of its size
// and the largest exponent between neighbours. It marks those that grow faster than they may.
func growths(program, only string) error {
	start, err := startSeconds(program)
	if err != nil {
		return err
	}
	for _, k := range kinds(only) {
		var line strings.Builder
		steepest, before := 0.0, 0.0
		for _, eighths := range []int{1, 2, 4, 8, 16} {
			r, err := measure(program, k, max(1, k.Full*eighths/8))
			if err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
			own := r.seconds - start
			if before > leastSeconds && own > 0 {
				steepest = max(steepest, math.Log2(own/before))
			}
			before = own
			fmt.Fprintf(&line, " %6.2f", own)
		}
		mark := ""
		if steepest > maxExponent {
			mark = " STEEP"
		}
		fmt.Printf("%-28s%s  %.2f%s\n", k.Name, line.String(), steepest, mark)
	}
	return nil
}

// startSeconds are what the program takes for nearly nothing.
func startSeconds(program string) (float64, error) {
	r, err := measure(program, scenarios.Kind{Make: scenarios.Nothing}, 1)
	return r.seconds, err
}
