package chain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the warnings of one response, in runes (semantics §7.5).
const (
	maxWarningRunes = 4096
	cutWarningRunes = 256
)

// warnings are the warning headers of the response as the server writes them.
type warnings struct {
	given []string // in their order, without duplicates
	sent  []string // what the client gets
	runes int      // of what is sent
	cut   bool     // whether the limit has been exceeded
}

// Warn sends a warning header to the client. The server drops what is empty,
// was there before, or cannot stand in a header. As soon as all together exceed
// 4096 runes it cuts each to 256, those that are written already too, and from
// then on drops what comes after the limit.
func (c *Chain) Warn(text string) { c.warnings.add(text) }

// Warnings returns the warnings as the client gets them.
func (c *Chain) Warnings() []string { return c.warnings.sent }

func (w *warnings) add(text string) {
	if text == "" || w.cut && w.runes >= maxWarningRunes || slices.Contains(w.given, text) {
		return
	}
	w.given = append(w.given, text)
	if !w.cut && !headerText(text) {
		return
	}
	if w.cut || w.runes+utf8.RuneCountInString(text) <= maxWarningRunes {
		w.send(text)
		return
	}
	w.cut, w.runes, w.sent = true, 0, nil
	for _, text := range w.given {
		w.send(text)
	}
}

func (w *warnings) send(text string) {
	if w.cut {
		text = string([]rune(text)[:min(cutWarningRunes, utf8.RuneCountInString(text))])
	}
	if !headerText(text) {
		return
	}
	w.runes += utf8.RuneCountInString(text)
	w.sent = append(w.sent, text)
}

// headerText says whether a text can be sent as a warning header.
func headerText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
