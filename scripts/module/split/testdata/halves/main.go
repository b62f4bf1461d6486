// Command halves has functions that the tests of scripts/module/split move to later parts:
// they call each other across the parts, directly, as values and by way of interfaces,
// wait in the middle of a call, grow their stacks and panic.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

type shape interface{ area() float64 }

type square float64

//go:noinline
func (s square) area() float64 { return float64(s * s) }

type circle float64

//go:noinline
func (c circle) area() float64 { return float64(c*c) * 3 }

//go:noinline
func coldSum(shapes []shape) (sum float64) {
	for _, s := range shapes {
		sum += s.area()
	}
	return sum + hotTwice(sum)
}

//go:noinline
func hotTwice(x float64) float64 { return 2 * x }

// coldWait gives way to others in the middle of a call, as the host's answer is waited for.
//
//go:noinline
func coldWait(answers chan<- string) {
	time.Sleep(time.Millisecond)
	answers <- hotJoin("waited", coldName(3))
}

//go:noinline
func coldName(n int) string { return strings.Repeat("n", n) }

//go:noinline
func hotJoin(a, b string) string { return a + "-" + b }

// coldDeep and hotDeep call each other until their stack has grown several times.
//
//go:noinline
func coldDeep(n int) int {
	var room [32]int
	room[n%32] = n
	if n == 0 {
		return 0
	}
	return hotDeep(n-1) + room[n%32]%2
}

//go:noinline
func hotDeep(n int) int { return coldDeep(n) + 1 }

//go:noinline
func coldPanic(missing map[string]int) { missing["a"] = 1 }

//go:noinline
func recovered() (reason any) {
	defer func() { reason = recover() }()
	coldPanic(nil)
	return nil
}

func main() {
	fmt.Println(hotTwice(4), hotJoin("a", "b"))
	if len(os.Args) > 1 && os.Args[1] == "hot" {
		return
	}
	fmt.Println(coldSum([]shape{square(2), circle(1)}))
	answers := make(chan string)
	for range 3 {
		go coldWait(answers)
	}
	fmt.Println(<-answers, <-answers, <-answers)
	fmt.Println(coldDeep(3000))
	fmt.Println(recovered())
	later := coldName
	defer func() { fmt.Println(later(5)) }()
}
