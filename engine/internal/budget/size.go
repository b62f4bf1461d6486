package budget

// Values is how many values an object in unstructured form has, itself included.
func Values(value any) int {
	n := 1
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			n += Values(item)
		}
	case []any:
		for _, item := range v {
			n += Values(item)
		}
	}
	return n
}

// Size is about how many bytes an object in unstructured form takes. It looks at
// every value, which takes far less than any use of the object.
func Size(value any) int {
	size := 16
	switch v := value.(type) {
	case string:
		size += len(v)
	case map[string]any:
		for key, item := range v {
			size += len(key) + 32 + Size(item)
		}
	case []any:
		for _, item := range v {
			size += Size(item)
		}
	}
	return size
}
