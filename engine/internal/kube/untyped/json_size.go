package untyped

// Within reports whether a value's JSON surely has at most so many bytes.
func Within(value any, bytes int) bool { return atMost(value, bytes) >= 0 }

// atMost returns how much of a room of bytes a value's JSON leaves at least. It writes nothing, which
// would take a quarter of the time of a large object's evaluation.
func atMost(value any, room int) int {
	switch v := value.(type) {
	case map[string]any:
		room -= 2
		for key, item := range v {
			if room = atMost(item, room-4-len(key)-escapes(key)); room < 0 {
				return room
			}
		}
	case []any:
		room -= 2
		for _, item := range v {
			if room = atMost(item, room-1); room < 0 {
				return room
			}
		}
	case string:
		room -= 2 + len(v) + escapes(v)
	default:
		room -= maxNumber
	}
	return room
}

// maxNumber is the length of the longest number in JSON.
const maxNumber = 25

// escapes returns how many bytes escapes add at most to a text in JSON, where a character has up to six.
func escapes(text string) int {
	n := 0
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			n += 5
		}
	}
	return n
}
