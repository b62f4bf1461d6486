package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCurrent fails when the editors colour other fields than the engine
// evaluates.
func TestCurrent(t *testing.T) {
	got, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != source() {
		t.Errorf("%s is not current: run go run ./scripts/celfields", file)
	}
}
