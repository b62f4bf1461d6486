package scenario

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// A link carries a whole scenario in the fragment of a URL:
//
//	#1/<payload>
//
// The number fixes everything below forever; a published link
// must open in every later version. The payload of version 1 is, from the
// outside in:
//
//   - base64url without padding (RFC 4648 §5) of
//   - four bytes, big-endian: the CRC-32 (IEEE) of the content; then
//   - the content in raw deflate (RFC 1951) with dictionary-1.txt as preset
//     dictionary.
//
// The content is UTF-8: the settings as one line of JSON, policies, request,
// cluster, expression, separated by U+0000 (which none of them can hold);
// empty ones at the end are left out. The TypeScript side of this codec is
// tested on the same vectors, testdata/links.json.
//
// Bytes past the end of the deflate stream are not part of the scenario, and a
// reader need not look at them. The page may say there where the maker of the link
// was: "TEXT START END VIEW" (the text that was open, what was selected in it in
// bytes, the tab of the result), the length of that in one byte, and its CRC-32 in
// four.

// linkVersion is the version that EncodeLink writes.
const linkVersion = "1"

// MaxLinkContent limits a link's inflated content, in bytes.
const MaxLinkContent = 1 << 20

// linkFields is the number of texts in a link's content, including the settings.
const linkFields = 5

// maxLinkPayload limits a link's text. Deflate hardly lengthens content.
const maxLinkPayload = 2 * MaxLinkContent

//go:embed dictionary-1.txt
var linkDictionary []byte

// LinkError says why a link cannot be read or written. Message is a sentence for the user.
type LinkError struct {
	Code    string // one of codes.LinkUnknown and so on; stable
	Message string
	Err     error // cause, or nil
}

func (e *LinkError) Error() string { return e.Message }
func (e *LinkError) Unwrap() error { return e.Err }

// EncodeLink writes a scenario as a URL fragment, with the number sign. It always writes the
// Kubernetes version, so a link keeps its meaning when the default changes. Errors are of type
// *LinkError.
func EncodeLink(s Scenario) (_ string, err error) {
	defer guard.Error(&err)
	if s.Kubernetes == "" {
		s.Kubernetes = DefaultVersion
	}
	settings, err := s.settingsJSON()
	if err != nil {
		return "", &LinkError{codes.LinkContent, "The settings cannot be written as JSON.", err}
	}
	fields := []string{string(settings), s.Policies, s.Request, s.Cluster, s.Expression}
	for i, text := range fields {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return "", &LinkError{codes.LinkContent, fmt.Sprintf("A link cannot carry the file %s: it is not plain UTF-8 text.", FileNames()[i]), nil}
		}
	}
	content := strings.TrimRight(strings.Join(fields, "\x00"), "\x00")
	if len(content) > MaxLinkContent {
		return "", &LinkError{codes.LinkTooLarge, fmt.Sprintf("The scenario has %d bytes; a link carries %d at most. Send the files instead.", len(content), MaxLinkContent), nil}
	}
	payload := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(content)))
	buffer := bytes.NewBuffer(payload)
	w, err := flate.NewWriterDict(buffer, flate.BestCompression, linkDictionary)
	if err != nil {
		return "", &LinkError{codes.LinkContent, "The scenario cannot be compressed.", err}
	}
	if _, err := io.WriteString(w, content); err != nil {
		return "", &LinkError{codes.LinkContent, "The scenario cannot be compressed.", err}
	}
	if err := w.Close(); err != nil {
		return "", &LinkError{codes.LinkContent, "The scenario cannot be compressed.", err}
	}
	return "#" + linkVersion + "/" + base64.RawURLEncoding.EncodeToString(buffer.Bytes()), nil
}

// DecodeLink reads a link from EncodeLink: the fragment with or without its number sign, or a whole
// URL. It ignores white space, which mail programs add to long lines. Errors are of type
// *LinkError.
func DecodeLink(link string) (_ Scenario, err error) {
	defer guard.Error(&err)
	if i := strings.IndexByte(link, '#'); i >= 0 {
		link = link[i+1:]
	}
	if len(link) > maxLinkPayload {
		return Scenario{}, tooLarge()
	}
	link = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, link)
	version, payload, found := strings.Cut(link, "/")
	if _, err := strconv.ParseUint(version, 10, 16); !found || err != nil {
		return Scenario{}, &LinkError{codes.LinkUnknown, "This is not a link to a scenario: it must have #1/ and then the scenario.", nil}
	}
	if version != linkVersion {
		return Scenario{}, &LinkError{codes.LinkNewer, fmt.Sprintf("This link is of version %s, made by a newer Preadmit; this one reads version %s. Reload the page or update the program.", version, linkVersion), nil}
	}
	content, err := inflate(payload)
	if err != nil {
		return Scenario{}, err
	}
	return fromContent(content)
}

func tooLarge() error {
	return &LinkError{codes.LinkTooLarge, fmt.Sprintf("This link holds more than %d bytes of text. Ask for the files instead.", MaxLinkContent), nil}
}

func damaged(cause error) error {
	return &LinkError{codes.LinkDamaged, "This link is damaged: part of it is missing or changed. Programs often cut long links; copy it again from its source, or ask for the files.", cause}
}

// inflate decodes a link's payload to its content. It ignores bytes after the deflate stream; the
// checksum proves that nothing is missing.
func inflate(payload string) (string, error) {
	data, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return "", damaged(err)
	}
	if len(data) < 4 {
		return "", damaged(io.ErrUnexpectedEOF)
	}
	r := flate.NewReaderDict(bytes.NewReader(data[4:]), linkDictionary)
	content, err := io.ReadAll(io.LimitReader(r, MaxLinkContent+1))
	if err != nil {
		return "", damaged(err)
	}
	if len(content) > MaxLinkContent {
		return "", tooLarge()
	}
	if crc32.ChecksumIEEE(content) != binary.BigEndian.Uint32(data) {
		return "", damaged(errors.New("the checksum is wrong"))
	}
	return string(content), nil
}

// fromContent splits a link's content.
func fromContent(content string) (Scenario, error) {
	fields := strings.Split(content, "\x00")
	if len(fields) > linkFields || !utf8.ValidString(content) {
		return Scenario{}, damaged(errors.New("not the texts of a scenario"))
	}
	fields = append(fields, make([]string, linkFields-len(fields))...)
	s := Scenario{Policies: fields[1], Request: fields[2], Cluster: fields[3], Expression: fields[4]}
	if diags := s.readSettings(fields[0]); diag.HasErrors(diags) {
		return Scenario{}, settingsError(diags)
	}
	return s, nil
}

// settingsError reports settings from a later release, with unknown fields or Kubernetes versions,
// differently from all other errors.
func settingsError(diags []diag.Diagnostic) error {
	cause := errors.New(diags[0].Summary)
	for _, d := range diags {
		if d.Code == codes.UnknownField || d.Code == codes.UnknownVersion || d.Code == codes.UnknownValue {
			return &LinkError{codes.LinkNewer, fmt.Sprintf("This link uses a setting that this Preadmit does not know (%s). Reload the page or update the program.", d.Summary), cause}
		}
	}
	return damaged(cause)
}
