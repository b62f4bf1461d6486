package catalog

// ReadValueLong is ReadValue with another number of items for a list that may stay.
var ReadValueLong = (*Catalog).readValue

// Given is how many lists of an object are as they were given.
func Given(n Normal) int { return len(n.given) }
