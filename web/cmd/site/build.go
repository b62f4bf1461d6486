package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/preadmit/preadmit/web/site"
)

// figure is the row of docs/fidelity.md that counts requests: how many were
// recorded, and how many answers are equal.
var figure = regexp.MustCompile(`(?m)^\| (\d+) requests \| (\d+) \|$`)

// builtFrom says for the footer what the site was built from. scripts/build gives
// the commit in PREADMIT_COMMIT, Netlify in COMMIT_REF, and the version, if the commit
// has a tag, in PREADMIT_VERSION.
func builtFrom(docs string) (site.Build, error) {
	b := site.Build{Commit: os.Getenv("PREADMIT_COMMIT"), Version: os.Getenv("PREADMIT_VERSION")}
	if b.Commit == "" {
		b.Commit = os.Getenv("COMMIT_REF")
	}
	if b.Version == "" && len(b.Commit) >= 7 {
		b.Version = b.Commit[:7]
	}
	fidelity, err := os.ReadFile(filepath.Join(docs, "fidelity.md"))
	if err != nil {
		return b, err
	}
	found := figure.FindSubmatch(fidelity)
	if found == nil {
		return b, errors.New("docs/fidelity.md has no row with the number of recorded requests")
	}
	b.Fidelity = fmt.Sprintf("%s of %s", found[2], found[1])
	return b, nil
}
