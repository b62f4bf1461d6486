// Package replay runs many captured requests through the engine and counts what
// policies and webhooks did: how often they matched, were excluded by a
// condition, denied, changed the object or failed, and what their expressions
// cost.
package replay

import (
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Record is one captured request.
type Record = capture.Record

// Read is [capture.Read].
func Read(r io.Reader) iter.Seq2[Record, error] { return capture.Read(r) }

// Options say how to replay.
type Options struct {
	// Workers is the number of requests that are evaluated at a time; 0 means
	// one for each processor.
	Workers int
	// InOrder applies the requests one after another: what an admitted one
	// stores or deletes is there, or gone, for those after it. Workers counts for
	// nothing then. Without it every request meets the cluster as it was given.
	InOrder bool
	// By names what requests are counted by as well: see Ways.
	By []string
	// Partial keeps what Merge needs.
	Partial bool
	// Samples is how many requests of each kind the summary holds, 100 at most.
	Samples int
	// Times measures how long expressions take on this machine. Requests that are
	// evaluated at the same time are in each other's way, so without Workers it is one
	// at a time.
	Times bool
	// Each is called with every record that was read, in their order, and its report:
	// nil for a record that could not be replayed, where Skip or Bad of the record
	// says why. An error of it ends the replay and is that of Run. It may be nil.
	Each func(Record, *report.Report) error
	// Progress is called now and then with the number of records done. It may be
	// nil.
	Progress func(done int)
}

// progressEvery is the number of records between two calls of Progress.
const progressEvery = 100

// Run evaluates base with every record as its request. The summary does not
// depend on the number of workers: every request meets the same configuration,
// and what is counted is added up in the order of the records.
//
// What the iterator has an error for is missing from the summary, which says so;
// it may go on with other records. When ctx ends, the summary is that of the
// records until then, and says so too. An error is a mistake of ours with one of
// the requests, or that of Options.Each; the summary is that of the others. It is
// nil when the scenario cannot be compiled.
func Run(ctx context.Context, base scenario.Scenario, records iter.Seq2[Record, error], options Options) (*Summary, error) {
	configuration, problems := engine.Compile(base)
	if configuration == nil {
		return nil, problems
	}
	if err := checkWays(options.By); err != nil {
		return nil, err
	}
	s := newSummary(base, configuration)
	s.By, s.Partial, s.Times, s.SamplesOf = options.By, options.Partial, options.Times, min(options.Samples, maxSamples)
	s.metrics.times = options.Times
	var err error
	if s.Configuration, err = digest(configuration.Settings()); err != nil {
		return nil, err
	}
	if options.InOrder {
		s.inOrder(ctx, configuration, records, options)
	} else {
		s.atOnce(ctx, configuration, records, options)
	}
	if ctx.Err() != nil {
		s.missing(fmt.Errorf("stopped after %d records; later ones were not replayed", s.Records))
	}
	s.finish()
	if !options.Partial {
		s.forgetCounts()
	}
	if s.ended != nil {
		return s, s.ended
	}
	return s, s.internal
}

// atOnce evaluates several requests at a time.
func (s *Summary) atOnce(ctx context.Context, c *engine.Configuration, records iter.Seq2[Record, error], options Options) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A worker finds its next request without waking the reader.
	jobs := make(chan *job, waiting*workers(options))
	ordered := make(chan *job, 2*waiting*workers(options))
	ahead := newAhead(4*workers(options), aheadBytes)
	defer context.AfterFunc(ctx, ahead.end)()
	go produce(ctx, records, jobs, ordered, ahead)
	for range workers(options) {
		go func() {
			// Each evaluation of an expression adds itself to its context for a moment, under
			// the lock of that: with one for each worker they do not wait for each other.
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			for j := range jobs {
				j.evaluate(ctx, c, options)
				close(j.done)
			}
		}()
	}
	for {
		j := next(ctx, ordered)
		if j == nil {
			return
		}
		select {
		case <-j.done:
		case <-ctx.Done(): // it may wait for a worker in vain
			return
		}
		size := len(j.record.Request)
		if !s.record(ctx, j, options) {
			return // the deferred cancel ends the others
		}
		ahead.done(size)
	}
}

// waiting is how many requests a worker may have waiting for it.
const waiting = 32

// next is the job whose turn it is; nil when there is none, or the context has ended.
// The reader may wait for a pipe that gives nothing and cannot be interrupted: then it
// is left behind.
func next(ctx context.Context, jobs <-chan *job) *job {
	select {
	case j := <-jobs:
		return j
	case <-ctx.Done():
		return nil
	}
}

// inOrder applies the requests one after another.
func (s *Summary) inOrder(ctx context.Context, c *engine.Configuration, records iter.Seq2[Record, error], options Options) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	jobs := make(chan *job)
	go read(ctx, records, jobs)
	for {
		j := next(ctx, jobs)
		if j == nil {
			return
		}
		if j.unread == nil && j.record.Request != "" {
			c = j.apply(ctx, c, options)
		}
		if !s.record(ctx, j, options) {
			return
		}
	}
}

// read hands over every record that is read, and closes the channel.
func read(ctx context.Context, records iter.Seq2[Record, error], jobs chan<- *job) {
	defer close(jobs)
	defer reported(ctx, jobs)
	for record, err := range records {
		select {
		case jobs <- &job{record: record, unread: err}:
		case <-ctx.Done():
			return
		}
	}
}

// reported hands over a panic of the reader as what could not be read. It is deferred.
func reported(ctx context.Context, jobs chan<- *job) {
	if reason := recover(); reason != nil {
		j := &job{unread: panicked(reason), done: make(chan struct{})}
		close(j.done)
		select {
		case jobs <- j:
		case <-ctx.Done():
		}
	}
}

// record adds a record that has been evaluated. It is false when the context has
// ended.
func (s *Summary) record(ctx context.Context, j *job, options Options) bool {
	switch {
	case j.unread != nil:
		s.missing(j.unread)
		return true
	case j.err != nil && ctx.Err() != nil:
		return false
	case j.err != nil:
		s.failed(j)
		j.record.Bad, j.report = "Preadmit failed on this request: "+firstLine(j.err.Error()), nil
	default:
		s.add(j.record, j.report)
	}
	if options.Each != nil {
		if err := options.Each(j.record, j.report); err != nil {
			s.ended = err
			return false
		}
	}
	if options.Progress != nil && s.Records%progressEvery == 0 {
		options.Progress(s.Records)
	}
	return ctx.Err() == nil
}

// failed counts a record that the engine could not evaluate, which is a mistake
// of ours.
func (s *Summary) failed(j *job) {
	s.Records++
	s.bad(j.record, "Preadmit failed on this request: "+firstLine(j.err.Error()))
	if s.internal == nil {
		s.internal = j.err
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// missing notes what was not read.
func (s *Summary) missing(err error) {
	s.Missing++
	s.MissingParts = leastOf(s.MissingParts, maxBad, strings.Compare, err.Error())
}

func workers(o Options) int {
	switch {
	case o.Workers > 0:
		return o.Workers
	case o.Times:
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// job is one record under way.
type job struct {
	record Record
	report *report.Report
	unread error // of the reader
	err    error
	done   chan struct{}
}

// produce hands every record to the workers, and to the collector in order.
func produce(ctx context.Context, records iter.Seq2[Record, error], jobs, ordered chan<- *job, ahead *ahead) {
	defer close(ordered)
	defer close(jobs)
	defer reported(ctx, ordered)
	for record, err := range records {
		j := &job{record: record, unread: err, done: make(chan struct{})}
		if err != nil || record.Request == "" {
			close(j.done)
		}
		ahead.begin(len(record.Request))
		select {
		case ordered <- j:
		case <-ctx.Done():
			return
		}
		if err != nil || record.Request == "" {
			continue
		}
		select {
		case jobs <- j:
		case <-ctx.Done():
			return
		}
	}
}

// panicked keeps a panic of one goroutine from ending the program without a
// word about the record.
func panicked(reason any) error { return fmt.Errorf("panic: %v\n%s", reason, debug.Stack()) }

// evaluate runs the record's request.
func (j *job) evaluate(ctx context.Context, c *engine.Configuration, options Options) {
	defer j.recovered()
	j.report, j.err = c.Evaluate(ctx, engine.Text(j.record.Request), j.options(c, options))
	j.failed()
}

// apply runs the record's request and returns the configuration after it.
func (j *job) apply(ctx context.Context, c *engine.Configuration, options Options) (after *engine.Configuration) {
	after = c
	defer j.recovered()
	j.report, after, j.err = c.Apply(ctx, engine.Text(j.record.Request), j.options(c, options))
	j.failed()
	return after
}

// failed adds the place of the record to an error.
func (j *job) failed() {
	if j.err != nil {
		j.err = fmt.Errorf("%s: %w", j.record.Place(), j.err)
	}
}

func (j *job) recovered() {
	if reason := recover(); reason != nil {
		j.err = panicked(reason)
		j.failed()
	}
}

// options are those of the record, unless the scenario decides.
func (j *job) options(c *engine.Configuration, options Options) engine.Options {
	o := engine.Options{Brief: options.Each == nil}
	if options.Times {
		o.Clock = time.Now
	}
	if on := true; j.record.Defaulting && c.Settings().Options.Defaulting == nil {
		o.Defaulting = &on
	}
	return o
}

// newSummary begins with what the server says when the configuration is
// created.
func newSummary(base scenario.Scenario, c *engine.Configuration) *Summary {
	r := c.Report()
	return &Summary{Kubernetes: r.Kubernetes, Install: r.Install, Diagnostics: r.Diagnostics, actions: bindingActions(base)}
}

// bindingActions are the validationActions of the bindings, which reports do
// not hold.
func bindingActions(s scenario.Scenario) map[string][]string {
	out := map[string][]string{}
	for text, src := range map[diag.Text]string{diag.Policies: s.Policies, diag.Cluster: s.Cluster} {
		docs, _ := scenario.ParseDocuments(text, src) // problems are in the report
		for _, d := range docs {
			if d.Kind != "ValidatingAdmissionPolicyBinding" {
				continue
			}
			spec, _ := d.Value["spec"].(map[string]any)
			list, _ := spec["validationActions"].([]any)
			for _, action := range list {
				if a, ok := action.(string); ok {
					out[d.Name] = append(out[d.Name], a)
				}
			}
		}
	}
	return out
}
