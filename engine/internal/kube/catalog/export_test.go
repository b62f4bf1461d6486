package catalog

// ReadValueLong is ReadValue with another minimum length for lists that may be shared.
var ReadValueLong = (*Catalog).readValue

// Given returns how many of an object's lists are shared with the input.
func Given(n Normal) int { return len(n.given) }
