package codes

// Parse exports parse for tests.
var Parse = parse
