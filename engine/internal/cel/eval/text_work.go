package eval

import (
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// What functions of text take. CEL's costs count a tenth of a unit for a byte that most of them
// read, and nothing for those of charAt and of conversions, which turn the whole text into
// characters in every call.

// Bytes of text that a function reads in one unit of work: one that only compares them, one that turns
// them into characters, and one that parses them.
const (
	comparedBytes = 64
	readBytes     = 4
	parsedBytes   = 1
)

// reads are the bytes for a unit of functions that do not just turn a text into characters.
var reads = map[string]int{
	operators.Add: comparedBytes, operators.Equals: comparedBytes, operators.NotEquals: comparedBytes,
	operators.Less: comparedBytes, operators.LessEquals: comparedBytes, operators.Greater: comparedBytes, operators.GreaterEquals: comparedBytes,
	operators.In: comparedBytes, operators.Index: comparedBytes, operators.OptIndex: comparedBytes, operators.Conditional: comparedBytes,
	overloads.StartsWith: comparedBytes, overloads.EndsWith: comparedBytes, "optional.of": comparedBytes, "orValue": comparedBytes, "dyn": comparedBytes, "type": comparedBytes,
	"ip": parsedBytes, "isIP": parsedBytes, "cidr": parsedBytes, "isCIDR": parsedBytes, "url": parsedBytes, "isURL": parsedBytes,
	"duration": parsedBytes, "timestamp": parsedBytes, "quantity": parsedBytes, "isQuantity": parsedBytes, "strings.quote": parsedBytes, "validate": parsedBytes, "semver": parsedBytes, "isSemver": parsedBytes,
}

// argumentWork is what reading an argument takes.
func argumentWork(function string, v ref.Val) int {
	n := comparedBytes
	switch v.(type) {
	case types.String, types.Bytes:
		if n = reads[function]; n == 0 {
			n = readBytes
		}
	}
	work := weight(v) / n
	if text, ok := v.(types.String); ok && (function == "quantity" || function == "isQuantity") {
		work += len(text) / digitsForUnit * len(text)
	}
	return work
}

// digitsForUnit is how many digits of a number times its length one unit of work is: reading it takes
// the square of its length.
const digitsForUnit = 1000

// Searches in texts. What one takes grows with the length of the text times that of what is
// looked for, and nothing interrupts it. So a single one is bounded before it is made.
const (
	// MaxSearchSteps is how many characters of a text times parts of a pattern one search may take. The server's
	// own limit for a call is some 40 million, but it learns of the cost afterwards.
	MaxSearchSteps = 200_000_000
	// stepsForUnit is how many of them one unit of work is.
	stepsForUnit = 16
	// scannedWork is what a regular expression takes for each character, however short it is.
	scannedWork = 2
	// comparedSteps is how many steps one unit of work is where characters are compared.
	comparedSteps = 64
	// longPattern is from which length on a pattern counts that is no regular expression: a
	// shorter one takes what reading the text does.
	longPattern = 64
	// countedText is from which length of a text on the repetitions of a pattern are counted.
	countedText = 4096
)

// textSearches are the guards of functions with a pattern that is computed; [meter.compared] has
// those of matches, and those with a literal one.
var textSearches = []guard{
	{"find", "string_find_string", []*cel.Type{cel.StringType, cel.StringType}, cel.StringType, checkPattern("find"), false},
	{"findAll", "string_find_all_string", []*cel.Type{cel.StringType, cel.StringType}, cel.ListType(cel.StringType), checkPattern("findAll"), false},
	{"findAll", "string_find_all_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.IntType}, cel.ListType(cel.StringType), checkPattern("findAll"), false},
	{"indexOf", "string_index_of_string", []*cel.Type{cel.StringType, cel.StringType}, cel.IntType, checkText("indexOf"), false},
	{"indexOf", "string_index_of_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.IntType}, cel.IntType, checkText("indexOf"), false},
	{"lastIndexOf", "string_last_index_of_string", []*cel.Type{cel.StringType, cel.StringType}, cel.IntType, checkText("lastIndexOf"), false},
	{"lastIndexOf", "string_last_index_of_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.IntType}, cel.IntType, checkText("lastIndexOf"), false},
}

// checkPattern stops a search by a regular expression that would take too long.
func checkPattern(function string) func([]ref.Val) {
	return func(args []ref.Val) {
		text, pattern := stringOf(args[0]), stringOf(args[1])
		if len(text)*patternSize(text, pattern) > MaxSearchSteps {
			stopSearch(function)
		}
		if function != "findAll" || len(text) < countedText {
			return
		}
		most := len(text)
		if len(args) > 2 {
			if n, ok := args[2].(types.Int); ok && n >= 0 {
				most = int(n)
			}
		}
		if !endsSoon(text, pattern, most) {
			stopSearch(function)
		}
	}
}

// checkText stops a search for a text that would take too long.
func checkText(function string) func([]ref.Val) {
	return func(args []ref.Val) {
		if textSteps(args)/comparedSteps > MaxSearchSteps/stepsForUnit {
			stopSearch(function)
		}
	}
}

func stopSearch(function string) {
	stop("%s would search a string more than %d million times, once for each part of the search term; the API server does so and may take minutes", function, MaxSearchSteps/1_000_000)
}

// textSteps is how many characters a search for a text compares at most.
func textSteps(args []ref.Val) int {
	text, pattern := stringOf(args[0]), stringOf(args[1])
	if len(pattern) < longPattern {
		return 0
	}
	return max(len(text)-len(pattern)+1, 0) * len(pattern)
}

// searchTextWork is what a search in a text takes, besides reading it.
func searchTextWork(function string, args []ref.Val) int {
	if len(args) < 2 {
		return 0
	}
	switch function {
	case overloads.Matches, "find", "findAll":
		text := stringOf(args[0])
		return len(text) * (scannedWork + patternSize(text, stringOf(args[1]))/stepsForUnit)
	case "indexOf", "lastIndexOf":
		if _, ok := args[0].(types.String); ok {
			return textSteps(args) / comparedSteps
		}
	}
	return 0
}

// patternSize is about how many parts a regular expression has, those counted that a number in
// braces repeats.
func patternSize(text, pattern string) int {
	if len(text) < countedText || !strings.Contains(pattern, "{") {
		return len(pattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return len(pattern)
	}
	return repeated(parsed)
}

func repeated(e *syntax.Regexp) int {
	n := 1
	if e.Op == syntax.OpLiteral {
		n = len(e.Rune)
	}
	for _, sub := range e.Sub {
		n += repeated(sub)
	}
	if e.Op == syntax.OpRepeat {
		n *= max(e.Min, e.Max, 1)
	}
	return n
}

// endsSoon reports whether that many matches of a pattern in a text are found by reading it a few times: a pattern
// that looks for something to the end of the text before it takes something shorter reads it for
// each match.
func endsSoon(text, pattern string, most int) bool {
	e, err := regexp.Compile(pattern)
	if err != nil {
		return true
	}
	left := MaxSearchSteps / stepsForUnit
	for at := 0; at < len(text) && most > 0; most-- {
		r := &counted{text: text[at:]}
		found := e.FindReaderIndex(r)
		if left -= r.at; left < 0 {
			return false
		}
		if found == nil {
			break
		}
		at += max(found[1], 1)
	}
	return true
}

// counted reads a text and counts the bytes. It implements io.RuneReader.
type counted struct {
	text string
	at   int
}

func (c *counted) ReadRune() (rune, int, error) {
	if c.at >= len(c.text) {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRuneInString(c.text[c.at:])
	c.at += size
	return r, size, nil
}

// patterned is a search by a regular expression that the expression has literally: cel-go reads it once, and
// replaces the function. What it leaves are the arguments. It implements interpreter.InterpretableCall.
type patterned struct {
	interpreter.InterpretableCall
	args []interpreter.InterpretableV2
}

func (p *patterned) Args() []interpreter.InterpretableV2 { return p.args }

// searchedText is the text of such a search. It implements interpreter.InterpretableV2.
type searchedText struct {
	interpreter.InterpretableV2
	// literals are the arguments behind the text that are known.
	literals []ref.Val
	check    func([]ref.Val)
}

func (s *searchedText) Eval(vars interpreter.Activation) ref.Val {
	return s.Exec(interpreter.AsFrame(vars))
}

func (s *searchedText) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	text := s.InterpretableV2.Exec(frame)
	if _, ok := text.(types.String); ok {
		s.check(append([]ref.Val{text}, s.literals...))
	}
	return text
}

// withLiteralPattern guards a search whose pattern is a literal; false for any other call.
func withLiteralPattern(call interpreter.InterpretableCall) (interpreter.InterpretableV2, bool) {
	args := call.Args()
	if len(args) < 2 {
		return nil, false
	}
	var literals []ref.Val
	for _, a := range args[1:] {
		literal, ok := a.(interpreter.InterpretableConst)
		if !ok {
			break
		}
		literals = append(literals, literal.Value())
	}
	if len(literals) == 0 {
		return nil, false
	}
	guarded := append([]interpreter.InterpretableV2{&searchedText{args[0], literals, checkPattern(call.Function())}}, args[1:]...)
	return &patterned{call, guarded}, true
}
