// Package pipeline replays captured requests with Apache Beam: any number of shards of audit logs
// or AdmissionReviews, on any of Beam's runners. Each shard returns a partial summary. These add up
// to the whole summary, exactly and in any order, as replay.MergePartial guarantees.
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/klauspost/compress/zstd"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/analysis/uncompress"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Settings configure a replay. Runners send them to the workers as JSON.
type Settings struct {
	// Base is the scenario for the requests. Its own request is not used.
	Base scenario.Scenario
	// By and Samples are replay.Options' fields.
	By      []string
	Samples int
	// Workers is how many of a shard's requests are evaluated at a time; 0 means one per processor.
	// For runners that give each processor its own shard, use 1.
	Workers int
}

// Replay adds to a pipeline: read the files that match a glob, in any file system that the program
// registers, replay them and add up the results. The result is one Part. A glob without matches is
// an error, because "nothing was denied" would be misleading.
func Replay(s beam.Scope, glob string, settings Settings) beam.PCollection {
	s = s.Scope("preadmit.Replay")
	files := fileio.ReadMatches(s, fileio.MatchFiles(s, glob, fileio.MatchEmptyDisallow()), fileio.ReadUncompressed())
	// Otherwise a runner may keep all files on the one worker that listed them.
	parts := beam.ParDo(s, newReplayFn(settings), beam.Reshuffle(s, files))
	return beam.Combine(s, &mergeFn{}, parts)
}

// Write adds to a pipeline: write the sum as JSON to a file in any registered file system. It is a
// partial summary, which preadmit replay merge prints and adds to others.
func Write(s beam.Scope, path string, sum beam.PCollection) {
	s = s.Scope("preadmit.Write")
	filesystem.ValidateScheme(path)
	beam.ParDo0(s, &writeFn{Path: path}, sum)
}

// Part is some shards' summary; nil means none. Between workers it is compressed JSON.
type Part struct {
	Summary *replay.Summary
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[Part](), encodePart, decodePart)
	register.DoFn3x1[context.Context, fileio.ReadableFile, func(Part), error](&replayFn{})
	register.DoFn2x1[context.Context, Part, error](&writeFn{})
	register.Combiner1[Part](&mergeFn{})
	register.Emitter1[Part]()
}

func encodePart(p Part) ([]byte, error) {
	raw, err := json.Marshal(p.Summary)
	if err != nil {
		return nil, fmt.Errorf("a partial summary cannot be written: %w", err)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(raw, nil), nil
}

func decodePart(data []byte) (Part, error) {
	var p Part
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return p, err
	}
	defer r.Close()
	raw, err := r.DecodeAll(data, nil)
	if err != nil {
		return p, fmt.Errorf("a partial summary cannot be read: %w", err)
	}
	return p, json.Unmarshal(raw, &p.Summary)
}

// Counters that a runner shows while the pipeline runs.
var (
	records  = beam.NewCounter("preadmit", "records")
	replayed = beam.NewCounter("preadmit", "replayed")
	denied   = beam.NewCounter("preadmit", "denied")
)

type replayFn struct {
	// Settings are JSON: Beam needs a schema for every field that a worker gets, and a scenario has
	// values of any type.
	Settings []byte

	settings Settings
}

func newReplayFn(settings Settings) *replayFn {
	raw, err := json.Marshal(settings)
	if err != nil {
		panic(fmt.Errorf("settings that are no JSON: %w", err)) // as Beam does while it builds a pipeline
	}
	return &replayFn{Settings: raw}
}

// Setup reads the settings, once per worker.
func (f *replayFn) Setup() error { return json.Unmarshal(f.Settings, &f.settings) }

// ProcessElement replays one file. If the file cannot be opened, it returns an error so that the
// runner retries. For a damaged file, the summary says what is missing.
func (f *replayFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(Part)) error {
	r, err := file.Open(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Metadata.Path, err)
	}
	defer r.Close()
	summary, err := replay.Run(ctx, f.settings.Base, read(file.Metadata.Path, r), replay.Options{
		By: f.settings.By, Samples: f.settings.Samples, Workers: f.settings.Workers, Partial: true,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file.Metadata.Path, err)
	}
	if err := ctx.Err(); err != nil {
		return err // the whole shard is replayed again
	}
	records.Inc(ctx, int64(summary.Records))
	replayed.Inc(ctx, int64(summary.Replayed))
	denied.Inc(ctx, int64(summary.Denied))
	emit(Part{summary})
	return nil
}

// read yields a file's records, with its name.
func read(path string, r io.Reader) iter.Seq2[replay.Record, error] {
	return func(yield func(replay.Record, error) bool) {
		unpacked, err := uncompress.Reader(r)
		if err != nil {
			yield(replay.Record{}, fmt.Errorf("nothing was read: %s: %w", path, err))
			return
		}
		for record, err := range replay.Read(unpacked) {
			record.File = path
			if err != nil {
				err = fmt.Errorf("%s was read up to line %d: %w", path, record.Line, err)
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// mergeFn adds up partial summaries.
type mergeFn struct{}

// CreateAccumulator returns an empty sum.
func (*mergeFn) CreateAccumulator() Part { return Part{} }

// AddInput and MergeAccumulators are the same: a sum of parts is a part.
func (f *mergeFn) AddInput(sum, part Part) (Part, error) { return f.MergeAccumulators(sum, part) }

// MergeAccumulators adds two sums.
func (*mergeFn) MergeAccumulators(a, b Part) (Part, error) {
	switch {
	case a.Summary == nil:
		return b, nil
	case b.Summary == nil:
		return a, nil
	}
	sum, err := replay.MergePartial(a.Summary, b.Summary)
	return Part{sum}, err
}

type writeFn struct {
	Path string
}

// ProcessElement writes the only sum.
func (f *writeFn) ProcessElement(ctx context.Context, sum Part) (err error) {
	fs, err := filesystem.New(ctx, f.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fs.Close()) }()
	w, err := fs.OpenWrite(ctx, f.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(sum.Summary)
}
