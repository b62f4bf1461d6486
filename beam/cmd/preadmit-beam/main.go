// Command preadmit-beam replays captured requests on an Apache Beam runner. It has its own flags
// and the runner's; docs/replay.md lists them for Flink, Dataflow and Spark.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/preadmit/preadmit/beam/pipeline"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// As in the command line, time matters more than memory: little is live.
const growth = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(growth)
	}
	var files []string
	flag.Func("file", "a file with policies, bindings, webhook configurations or objects of the cluster; repeatable", func(name string) error {
		files = append(files, name)
		return nil
	})
	requests := flag.String("requests", "", "the captures: a glob, such as gs://audit/2026-11-*.json.gz")
	output := flag.String("output", "", "the file that the sum is written to, for preadmit replay merge")
	by := flag.String("by", "", "count by some of "+strings.Join(replay.Ways(), ", ")+", with commas between them")
	samples := flag.Int("samples", 0, "how many requests of each kind the sum holds")
	workers := flag.Int("requests-at-a-time", 0, "of one shard; 0 means one for each processor, 1 suits runners that give each processor a shard")
	kubernetes := flag.String("kubernetes", "", "the minor version to simulate")
	flag.Parse()
	beam.Init() // a worker does not return
	if err := run(files, *requests, *output, *kubernetes, pipeline.Settings{By: list(*by), Samples: *samples, Workers: *workers}); err != nil {
		fmt.Fprintln(os.Stderr, "preadmit-beam:", err)
		os.Exit(2)
	}
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func run(files []string, requests, output, kubernetes string, settings pipeline.Settings) error {
	if len(files) == 0 || requests == "" || output == "" {
		return fmt.Errorf("-file, -requests and -output are needed; see -help")
	}
	base, err := read(files)
	if err != nil {
		return err
	}
	if kubernetes != "" {
		base.Kubernetes = kubernetes
	}
	// Problems in the policies are reported here, and not by each of a thousand workers.
	configuration, problems := engine.Compile(base)
	if configuration == nil {
		return problems
	}
	for _, d := range configuration.Report().Diagnostics {
		if d.Wrong() {
			fmt.Fprintf(os.Stderr, "preadmit-beam: %s %d:%d: %s\n", d.Text, d.Line, d.Column, d.Summary)
		}
	}
	settings.Base = base
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p, s := beam.NewPipelineWithRoot()
	pipeline.Write(s, output, pipeline.Replay(s, requests, settings))
	runner := *runners.Runner
	if runner == "" {
		runner = "prism"
	}
	_, err = beam.Run(ctx, runner, p)
	return err
}

// read joins the files. Each document's kind says what it is.
func read(names []string) (scenario.Scenario, error) {
	var files []scenario.File
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return scenario.Scenario{}, err
		}
		files = append(files, scenario.File{Name: name, Text: string(data)})
	}
	c := scenario.Classify(files, scenario.Given{Into: diag.Cluster})
	for _, d := range c.Diagnostics {
		if d.Severity == diag.Error {
			return scenario.Scenario{}, fmt.Errorf("%s: %s", d.File, d.Summary)
		}
	}
	return c.Scenario, nil
}
