// Package embedded holds the built site for programs that carry it: those compiled
// with the build tag "site", as scripts/release does. Others have none, so that the
// Go command alone can build them.
package embedded

import (
	"archive/zip"
	"bytes"
	"io/fs"
)

// archive is the site as scripts/archive packs it, nil without the build tag.
var archive []byte

// Present reports whether this program carries the site.
func Present() bool { return archive != nil }

// Site returns the files of the site, or nil when the program carries none.
func Site() (fs.FS, error) {
	if archive == nil {
		return nil, nil
	}
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
}
