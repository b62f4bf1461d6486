package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/engine/scenario"
)

// The linker sets these for a release (scripts/release). Releases build without the repository's
// history, so that a copy of the sources builds the same program.
var releaseVersion, releaseCommit string

// build describes the program's build.
type build struct {
	Version string `json:"version"`
	// Commit is the sources' revision. It is empty if the Go command did not record it, as in go
	// install of a published version.
	Commit string `json:"commit,omitempty"`
	// Modified says that the sources differed from the commit.
	Modified bool `json:"modified,omitempty"`
	// Go and Platform are the compiler's version, and the system and processor.
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Kubernetes lists the supported minor versions.
	Kubernetes struct {
		Oldest string `json:"oldest"`
		Newest string `json:"newest"`
		// Releases are the simulated patch releases, oldest first.
		Releases []string `json:"releases"`
	} `json:"kubernetes"`
	// Site says that the program includes the pages, for preadmit ui.
	Site bool `json:"site"`
}

func (a *app) versionCommand() *cobra.Command {
	format := ""
	c, f := a.newCommand("version", "Print the version, its commit and the simulated Kubernetes versions", func(args []string) (int, error) {
		if len(args) > 0 {
			return 0, badInput("version takes no arguments")
		}
		return a.printVersion(format)
	})
	f.output(&format, "`FORMAT`: text; json: version, commit, compiler, platform, Kubernetes range, whether the site is in it", "text", "json")
	return c
}

func (a *app) printVersion(format string) (int, error) {
	b := thisBuild()
	if format == "json" {
		return exitOK, writeJSON(a.stdout, b)
	}
	commit := b.Commit
	if b.Modified {
		commit += ", modified"
	}
	if commit == "" {
		commit = "not recorded"
	}
	return exitOK, a.say(fmt.Sprintf("preadmit %s\ncommit %s\nbuilt with %s for %s\nsimulates Kubernetes %s to %s (%s)\n",
		b.Version, commit, b.Go, b.Platform, b.Kubernetes.Oldest, b.Kubernetes.Newest, strings.Join(b.Kubernetes.Releases, ", ")))
}

// thisBuild reads what the linker or the Go command recorded.
func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Site: hasSite()}
	versions := scenario.Versions()
	b.Kubernetes.Oldest, b.Kubernetes.Newest = versions[0], versions[len(versions)-1]
	for _, v := range versions {
		b.Kubernetes.Releases = append(b.Kubernetes.Releases, scenario.Release(v))
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	if releaseVersion != "" {
		b.Version, b.Commit, b.Modified = releaseVersion, releaseCommit, false
	}
	b.Version = strings.TrimSuffix(b.Version, "+dirty")
	return b
}
