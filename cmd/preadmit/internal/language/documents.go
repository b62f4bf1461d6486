package language

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/scenario"
)

// document is an open document. A change replaces it, so that other goroutines can read it
// without a lock.
type document struct {
	uri     protocol.DocumentURI
	path    string // the file's, or the whole address of what is no file
	version uint32
	*lines
}

// stored is a file as it was read last.
type stored struct {
	changed time.Time
	size    int64
	text    string
}

// given is a file whose content the editor has sent, as it may be on no disk.
type given struct {
	URI protocol.DocumentURI `json:"uri"`
	// Text is nil for one that is gone.
	Text *string `json:"text"`
}

// filesMethod is a notification of our own: the files of the editor's folders.
const filesMethod = "preadmit/files"

// givenFiles are its parameters.
type givenFiles struct {
	Files []given `json:"files"`
}

// files takes files that the editor sends.
func (s *Server) files(ctx context.Context, p *givenFiles) error {
	s.mu.Lock()
	for _, f := range p.Files {
		if f.Text == nil {
			delete(s.given, pathOf(f.URI))
		} else {
			s.given[pathOf(f.URI)] = f
		}
	}
	s.mu.Unlock()
	s.checkAll(ctx)
	return nil
}

// pathOf is the file of an address. What is in a folder but on no disk has its scheme and host as
// the first part of its path; what is in no folder has the address itself.
func pathOf(uri protocol.DocumentURI) string {
	u, err := url.Parse(string(uri))
	if err == nil && u.Scheme != "" && u.Scheme != "file" && strings.HasPrefix(u.Path, "/") {
		return filepath.FromSlash("/" + u.Scheme + ":" + u.Host + u.Path)
	}
	if err == nil && u.Scheme == "file" {
		path := u.Path
		if len(path) > 2 && path[0] == '/' && path[2] == ':' { // C:
			path = path[1:]
		}
		return filepath.FromSlash(path)
	}
	return string(uri)
}

// address is the address of a file: the editor's own, if it has opened it.
func (s *Server) address(path string) protocol.DocumentURI {
	if d := s.document(path); d != nil {
		return d.uri
	}
	s.mu.Lock()
	sent, ok := s.given[path]
	s.mu.Unlock()
	if ok {
		return sent.URI
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return protocol.DocumentURI((&url.URL{Scheme: "file", Path: slashed}).String())
}

// document is an open document; nil when it is not open.
func (s *Server) document(path string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[path]
}

func (s *Server) didOpen(ctx context.Context, p *protocol.DidOpenTextDocumentParams) error {
	path := pathOf(p.TextDocument.URI)
	s.mu.Lock()
	s.revision++
	s.open[path] = &document{uri: p.TextDocument.URI, path: path, version: uint32(p.TextDocument.Version), lines: newLines(p.TextDocument.Text, s.client.utf8)}
	s.mu.Unlock()
	s.check(ctx, folderOf(path))
	return nil
}

func (s *Server) didChange(ctx context.Context, p *protocol.DidChangeTextDocumentParams) error {
	path := pathOf(p.TextDocument.URI)
	s.mu.Lock()
	d := s.open[path]
	if d == nil {
		s.mu.Unlock()
		return fmt.Errorf("%s is not open", p.TextDocument.URI)
	}
	now := d.lines
	for _, c := range p.ContentChanges {
		text := c.Text
		if c.Range != nil {
			from, to := now.offset(c.Range.Start), now.offset(c.Range.End)
			if to < from {
				s.mu.Unlock()
				return fmt.Errorf("%s: a change ends before it begins", p.TextDocument.URI)
			}
			text = now.text[:from] + c.Text + now.text[to:]
		}
		now = newLines(text, s.client.utf8)
	}
	s.revision++
	s.open[path] = &document{uri: d.uri, path: path, version: uint32(p.TextDocument.Version), lines: now}
	s.mu.Unlock()
	s.check(ctx, folderOf(path))
	return nil
}

func (s *Server) didClose(ctx context.Context, p *protocol.DidCloseTextDocumentParams) error {
	path := pathOf(p.TextDocument.URI)
	s.mu.Lock()
	s.revision++
	delete(s.open, path)
	s.mu.Unlock()
	s.check(ctx, folderOf(path))
	return s.conn.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{URI: p.TextDocument.URI, Diagnostics: []protocol.Diagnostic{}})
}

// folderOf is the folder of a file; of what is no file, that alone.
func folderOf(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Dir(path)
	}
	return path
}

// content is a file as the editor has it, or else as it is on disk. It is false for what
// cannot be read or is too large to be a scenario's.
func (s *Server) content(path string) (string, bool) {
	if d := s.document(path); d != nil {
		return d.text, true
	}
	s.mu.Lock()
	sent, ok := s.given[path]
	s.mu.Unlock()
	if ok {
		return *sent.Text, len(*sent.Text) <= scenario.MaxTextBytes
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > scenario.MaxTextBytes {
		return "", false
	}
	s.mu.Lock()
	kept := s.disk[path]
	s.mu.Unlock()
	if kept != nil && kept.size == info.Size() && kept.changed.Equal(info.ModTime()) {
		return kept.text, true
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	s.mu.Lock()
	s.disk[path] = &stored{changed: info.ModTime(), size: info.Size(), text: string(data)}
	s.mu.Unlock()
	return string(data), true
}
