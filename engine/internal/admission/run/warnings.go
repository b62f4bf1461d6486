package run

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/report/codes"
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
// was there before, or cannot be in a header. As soon as all together exceed
// 4096 runes it cuts each to 256, those that are written already too, and from
// then on drops what comes after the limit. A note on the current step says
// what the client does not get.
func (c *Chain) Warn(text string) {
	if code, why := c.warnings.add(text); code != "" {
		c.Note(code, why)
	}
}

// Warnings returns the warnings as the client gets them.
func (c *Chain) Warnings() []string { return c.warnings.sent }

const notInHeader = "The client does not get this warning: it has a line break or another character that cannot be in a header."

// add returns the code and text of a note where the warning is not sent as it
// is. A warning that was there before is no loss.
func (w *warnings) add(text string) (code, why string) {
	switch {
	case text == "":
		return codes.WarningDropped, "The server sends no empty warning."
	case slices.Contains(w.given, text):
		return "", ""
	case w.cut && w.runes >= maxWarningRunes:
		return codes.WarningDropped, fmt.Sprintf("The client does not get this warning: those before it have %d characters already.", maxWarningRunes)
	}
	w.given = append(w.given, text)
	length := utf8.RuneCountInString(text)
	switch {
	case !w.cut && !headerText(text):
		return codes.WarningDropped, notInHeader
	case !w.cut && w.runes+length > maxWarningRunes:
		w.cut, w.runes, w.sent = true, 0, nil
		for _, text := range w.given {
			w.send(text)
		}
		return codes.WarningCut, fmt.Sprintf("With this warning, all together have more than %d characters: the server cuts each of them to %d.", maxWarningRunes, cutWarningRunes)
	case !w.send(text):
		return codes.WarningDropped, notInHeader
	case w.cut && length > cutWarningRunes:
		return codes.WarningCut, fmt.Sprintf("The server cuts this warning to %d characters: all together have more than %d.", cutWarningRunes, maxWarningRunes)
	}
	return "", ""
}

// send reports whether the text could be sent.
func (w *warnings) send(text string) bool {
	if w.cut {
		text = string([]rune(text)[:min(cutWarningRunes, utf8.RuneCountInString(text))])
	}
	if !headerText(text) {
		return false
	}
	w.runes += utf8.RuneCountInString(text)
	w.sent = append(w.sent, text)
	return true
}

// headerText reports whether a text can be sent as a warning header.
func headerText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
