package codes

// Parse is for the tests.
var Parse = parse
