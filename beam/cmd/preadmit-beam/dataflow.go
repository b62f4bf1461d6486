//go:build dataflow

package main

// Google's client libraries are as large as the rest of the program, so they are only included if
// it is built for Dataflow.
import (
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
)
