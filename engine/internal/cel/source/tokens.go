package source

import "slices"

// Tokens are the tokens of an expression without its comments, with their
// brackets paired.
type Tokens struct {
	List    []Token
	Partner []int // of a bracket, the index of the other one; -1 otherwise
}

// NewTokens reads an expression.
func NewTokens(expression string) *Tokens {
	t := &Tokens{List: slices.DeleteFunc(Lex(expression), func(k Token) bool { return k.Kind == Comment })}
	t.Partner = make([]int, len(t.List))
	var open []int
	for i, k := range t.List {
		t.Partner[i] = -1
		if k.Kind != Symbol {
			continue
		}
		switch k.Text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				t.Partner[i], t.Partner[open[n-1]] = open[n-1], i
				open = open[:n-1]
			}
		}
	}
	return t
}

// Starting is the index of the token that begins at or first after an offset.
func (t *Tokens) Starting(offset int) int {
	i, _ := slices.BinarySearchFunc(t.List, offset, func(k Token, at int) int { return k.Start - at })
	return i
}

// at is the index of the token that an offset is in, -1 between tokens.
func (t *Tokens) at(offset int) int {
	i, found := slices.BinarySearchFunc(t.List, offset, func(k Token, at int) int { return k.Start - at })
	if found {
		return i
	}
	if i > 0 && offset < t.List[i-1].End {
		return i - 1
	}
	return -1
}

// Is reports whether token i is a certain symbol or word.
func (t *Tokens) Is(i int, text string) bool {
	return i >= 0 && i < len(t.List) && t.List[i].Kind != Number && t.List[i].Text == text
}

// IsWord reports whether token i is a name or one of true, false and null.
func (t *Tokens) IsWord(i int) bool {
	return i >= 0 && i < len(t.List) && t.List[i].Kind == Word && t.List[i].Text != "in"
}

// ends reports whether an operand ends with token i, so that a sign or a point
// after it is an operator.
func (t *Tokens) ends(i int) bool {
	if i < 0 {
		return false
	}
	k := t.List[i]
	return k.Kind == Number || k.Kind == String || t.IsWord(i) || k.Text == ")" || k.Text == "]" || k.Text == "}"
}

// Dotted is the index of the token where the dotted name begins that ends with
// token i.
func (t *Tokens) Dotted(i int) int {
	for t.Is(i-1, ".") && t.IsWord(i-2) {
		i -= 2
	}
	if t.Is(i-1, ".") && !t.ends(i-2) {
		i--
	}
	return i
}

// Around widens a range by what encloses just it and leaves no node: parentheses
// and, unless a point or bracket follows, signs that cancel each other out.
func (t *Tokens) Around(start, end int, signs bool) (int, int) {
	first, last := t.Starting(start), t.Starting(end)-1
	for first < len(t.List) && last >= first {
		switch {
		case t.Is(first-1, "(") && t.Partner[first-1] == last+1 && !t.IsWord(first-2):
			first, last = first-1, last+1
			start, end = t.List[first].Start, t.List[last].End
		case t.Is(first-1, "!") && t.Is(first-2, "!"),
			t.Is(first-1, "-") && t.Is(first-2, "-") && !t.ends(first-3):
			first -= 2
			if signs {
				start = t.List[first].Start
			}
		default:
			return start, end
		}
	}
	return start, end
}
