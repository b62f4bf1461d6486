package webhooks

import "github.com/preadmit/preadmit/conformance/differential"

// Exceptions lists the differences that are known and meant.
var Exceptions = []differential.Exception{}
