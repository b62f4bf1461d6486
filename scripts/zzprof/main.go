package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/scripts/hostile/scenarios"
)

func main() {
	for _, k := range scenarios.All() {
		if k.Name != os.Args[1] {
			continue
		}
		n := k.Full
		if len(os.Args) > 2 {
			n, _ = strconv.Atoi(os.Args[2])
		}
		s := k.Make(n)
		f, _ := os.Create("/tmp/prof.out")
		pprof.StartCPUProfile(f)
		t := time.Now()
		l := engine.Everything()
		l.Limits.Heap = 150 << 20
		r, err := engine.New().Evaluate(context.Background(), s, l)
		pprof.StopCPUProfile()
		fmt.Println(time.Since(t), err)
		fmt.Println(r.Outcome.State, r.Outcome.StateReason)
		for i, d := range r.Diagnostics {
			if i < 5 {
				fmt.Println(d.Code, d.Summary)
			}
		}
		f.Close()
	}
}
