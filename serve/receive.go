package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// errHeld reports that too many reviews have arrived and are not yet answered.
var errHeld = errors.New("too many reviews are waiting for an answer")

// receive reads a review before it takes an evaluation slot, so that a slow client blocks nobody.
// release frees what the review uses.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) (body []byte, release func(), err error) {
	held := &held{Reader: http.MaxBytesReader(w, r.Body, s.limits.Body), server: s, client: clientOf(r)}
	control := http.NewResponseController(w)
	// A test's writer has no connection and no deadline.
	if err := control.SetReadDeadline(time.Now().Add(s.limits.Receive)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, held.release, &failure{http.StatusInternalServerError, "reading the review: " + err.Error()}
	}
	body, err = io.ReadAll(held)
	var long *http.MaxBytesError
	switch {
	case err == nil:
		if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return nil, held.release, &failure{http.StatusInternalServerError, "reading the review: " + err.Error()}
		}
		return body, held.release, nil
	case errors.As(err, &long):
		return nil, held.release, &failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("the review has more than %d bytes", s.limits.Body)}
	case errors.Is(err, errHeld):
		return nil, held.release, &failure{http.StatusServiceUnavailable, err.Error()}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, held.release, &failure{http.StatusRequestTimeout, fmt.Sprintf("the review did not arrive within %s", s.limits.Receive)}
	}
	return nil, held.release, &failure{http.StatusBadRequest, "reading the review: " + err.Error()}
}

// held counts a review's bytes as they arrive. It implements io.Reader.
type held struct {
	io.Reader
	server *Server
	client string
	bytes  int64
}

func (h *held) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		if !h.server.clients.receive(h.client, int64(n), h.server.limits) {
			return 0, errHeld
		}
		h.bytes += int64(n)
	}
	return n, err
}

func (h *held) release() { h.server.clients.receive(h.client, -h.bytes, h.server.limits) }
