// Package uncompress reads compressed captures. It is separate from package capture,
// because the page uses that package and has no files.
package uncompress

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Reader reads gzip and zstd as what they hold, and anything else as it is. What is
// wrong with the compressed data is an error of it or of its Read.
func Reader(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	magic, _ := b.Peek(4) // a file may be shorter
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		return gzip.NewReader(b)
	case string(magic) == "\x28\xb5\x2f\xfd":
		d, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return b, nil
}

// maxWindow bounds the memory of zstd's decoder, in bytes: a frame may ask for
// more than a machine has. The zstd program reads 128 MiB without being asked to.
const maxWindow = 128 << 20
