package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCurrent fails if the editors' CEL fields differ from the engine's.
func TestCurrent(t *testing.T) {
	got, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != source() {
		t.Errorf("%s is not current: run go run ./scripts/celfields", file)
	}
}
