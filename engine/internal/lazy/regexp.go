// Package lazy defers values that a package would otherwise create at program
// start and that most runs do not need. A browser's user waits for them: compiling
// each regular expression takes some 0.2 ms there.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. A variable
// of a package is written as
//
//	var name = lazy.Regexp{Text: `^…$`}
//
// which the linker lays out and no code must run for. Its text must be correct: a
// mistake panics at the first use. It must not be copied, and is safe for concurrent
// use.
type Regexp struct {
	Text string

	once     sync.Once
	compiled *regexp.Regexp
}

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.Text) })
	return r.compiled
}

// MatchString is that of [regexp.Regexp], as are the other methods.
func (r *Regexp) MatchString(s string) bool { return r.get().MatchString(s) }

// FindString is that of [regexp.Regexp].
func (r *Regexp) FindString(s string) string { return r.get().FindString(s) }

// FindStringSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindStringSubmatch(s string) []string { return r.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is that of [regexp.Regexp].
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }

// FindAllStringSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of [regexp.Regexp].
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is that of [regexp.Regexp].
func (r *Regexp) ReplaceAllString(s, with string) string { return r.get().ReplaceAllString(s, with) }

// ReplaceAllStringFunc is that of [regexp.Regexp].
func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, f)
}

// SubexpNames is that of [regexp.Regexp].
func (r *Regexp) SubexpNames() []string { return r.get().SubexpNames() }

// Match is that of [regexp.Regexp].
func (r *Regexp) Match(b []byte) bool { return r.get().Match(b) }
