package completion

// This file says of every function what the declarations of the libraries do
// not: what it does and what it costs (semantics §2.2). Package version knows since when
// new objects may use it.

// help describes a function or macro. Params names the arguments, without the
// receiver.
type help struct {
	params string
	doc    string
	cost   string
}

// Costs in words. The unit is the server's CEL cost unit.
const (
	one      = "1"
	byLength = "a tenth of the length of the string"
	byTwice  = "a fifth of the length of the string"
	byMatch  = "a tenth of the string times a quarter of the pattern"
	byItems  = "one for each item"
	byParse  = "a tenth of the length of the string"
	checkFee = "350,000: at most two in one expression"
	loopFee  = "the cost of the body for each item"
)

var functionHelp = map[string]help{
	// Text.
	"charAt":        {"index", "The character at an index, empty at the end of the string.", one},
	"contains":      {"text", "Whether the string contains another.", byLength},
	"endsWith":      {"suffix", "Whether the string ends with another.", "a tenth of the length of the suffix"},
	"startsWith":    {"prefix", "Whether the string begins with another.", "a tenth of the length of the prefix"},
	"matches":       {"pattern", "Whether an RE2 pattern matches anywhere in the string. Anchor it with ^ and $ to match all of it.", byMatch},
	"find":          {"pattern", "The first match of an RE2 pattern, empty if there is none.", byMatch},
	"findAll":       {"pattern, limit", "All matches of an RE2 pattern, at most limit if given.", byMatch},
	"indexOf":       {"what, from", "The first index of a string or list item, -1 if there is none.", byItems},
	"lastIndexOf":   {"what, from", "The last index of a string or list item, -1 if there is none.", byItems},
	"join":          {"separator", "The strings of a list as one, with a separator between them.", "a fifth of the length of the result"},
	"lowerAscii":    {"", "The string with ASCII letters in lower case.", byLength},
	"upperAscii":    {"", "The string with ASCII letters in upper case.", byLength},
	"replace":       {"old, new, limit", "The string with old replaced by new, everywhere or at most limit times.", byTwice},
	"split":         {"separator, limit", "The parts of the string between separators.", byTwice},
	"substring":     {"start, end", "The string from start up to end, or to its end.", byLength},
	"trim":          {"", "The string without white space around it.", byLength},
	"format":        {"arguments", "Fills %s, %d, %f, %e, %b, %x, %o and %.2f of the string with a list of arguments.", byLength},
	"strings.quote": {"text", "The string in double quotes, special characters escaped.", byLength},
	"size":          {"", "The number of characters, items, entries or bytes.", one},

	// Conversions.
	"bool":      {"value", "A string such as 'true' as a boolean.", one},
	"bytes":     {"value", "A string as its UTF-8 bytes.", one},
	"double":    {"value", "A number or string as a floating-point number.", one},
	"int":       {"value", "A number or string as an integer; a timestamp as seconds since 1970.", one},
	"uint":      {"value", "A number or string as an unsigned integer.", one},
	"string":    {"value", "A value as a string. Values from object and params have no static type, so a messageExpression needs this.", one},
	"timestamp": {"text", "An RFC 3339 string as a timestamp. Times in objects are strings: convert them with this.", one},
	"duration":  {"text", "A string such as '1h30m' as a duration.", one},
	"type":      {"value", "The type of a value.", one},
	"dyn":       {"value", "The same value, its type left open: lets one list hold values of several types.", one},

	// Times.
	"getDate": {"timezone", "The day of the month, from 1.", one}, "getDayOfMonth": {"timezone", "The day of the month, from 0.", one},
	"getDayOfWeek": {"timezone", "The day of the week, Sunday is 0.", one}, "getDayOfYear": {"timezone", "The day of the year, from 0.", one},
	"getFullYear": {"timezone", "The year.", one}, "getMonth": {"timezone", "The month, January is 0.", one},
	"getHours": {"timezone", "The hour, or all hours of a duration.", one}, "getMinutes": {"timezone", "The minute, or all minutes of a duration.", one},
	"getSeconds": {"timezone", "The second, or all seconds of a duration.", one}, "getMilliseconds": {"timezone", "The milliseconds of the second.", one},

	// Lists.
	"isSorted": {"", "Whether the items are in ascending order.", byItems},
	"sum":      {"", "The sum of the items, 0 if there are none.", byItems},
	"min":      {"", "The smallest item; an error if there are none.", byItems},
	"max":      {"", "The largest item; an error if there are none.", byItems},
	"includes": {"value", "Whether a list holds a value, or a value equals another.", byItems},
	"distinct": {"", "The items without repetitions.", byItems}, "flatten": {"depth", "The items of the lists in the list.", byItems},
	"reverse": {"", "The items in reverse order.", byItems}, "slice": {"start, end", "The items from start up to end.", byItems},
	"sort": {"", "The items in ascending order.", byItems}, "lists.range": {"n", "The numbers from 0 up to n.", byItems},
	"first": {"", "The first item as an optional.", one}, "last": {"", "The last item as an optional.", one},
	"unwrapOpt":       {"", "The values of the optionals in a list that have one.", byItems},
	"sets.contains":   {"list, part", "Whether the first list has every item of the second.", "the product of both lengths"},
	"sets.equivalent": {"one, other", "Whether both lists have the same items, in any order and number.", "the product of both lengths"},
	"sets.intersects": {"one, other", "Whether the lists have an item in common.", "the product of both lengths"},

	// Optionals.
	"optional.of": {"value", "An optional that has this value.", one}, "optional.none": {"", "The optional without a value.", one},
	"optional.ofNonZeroValue": {"value", "An optional that has this value unless it is empty or zero.", one},
	"optional.unwrap":         {"list", "The values of the optionals in a list that have one.", byItems},
	"hasValue":                {"", "Whether the optional has a value.", one}, "value": {"", "The value; an error if there is none.", one},
	"or": {"other", "This optional if it has a value, else the other.", one}, "orValue": {"default", "The value, or a default if there is none.", one},

	// Quantities and versions.
	"quantity":   {"text", "A resource quantity such as '1.5Gi', for comparing and adding.", byParse},
	"isQuantity": {"text", "Whether a string is a quantity.", byParse}, "sign": {"quantity", "1, 0 or -1.", one},
	"add": {"other", "The sum of two quantities.", one}, "sub": {"other", "The difference of two quantities.", one},
	"compareTo":          {"other", "-1 if less, 0 if equal, 1 if greater.", one},
	"isLessThan":         {"other", "Whether it is less than another.", one},
	"isGreaterThan":      {"other", "Whether it is greater than another.", one},
	"asInteger":          {"", "The quantity as an integer; an error if it is none.", one},
	"isInteger":          {"", "Whether asInteger would succeed.", one},
	"asApproximateFloat": {"", "The quantity as a floating-point number.", one},
	"semver":             {"text, normalize", "A semantic version; with normalize true, v1.2 counts as 1.2.0.", byParse},
	"isSemver":           {"text, normalize", "Whether a string is a semantic version.", byParse},
	"major":              {"", "The major version.", one}, "minor": {"", "The minor version.", one}, "patch": {"", "The patch version.", one},

	// Addresses and URLs.
	"ip": {"text", "An IP address.", byParse}, "isIP": {"text", "Whether a string is an IP address.", byParse},
	"ip.isCanonical": {"text", "Whether a string is an IP address in its canonical form.", byTwice},
	"family":         {"", "4 or 6.", one}, "isUnspecified": {"", "0.0.0.0 or ::", one}, "isLoopback": {"", "127.0.0.0/8 or ::1", one},
	"isLinkLocalMulticast": {"", "Whether it is a link-local multicast address.", one}, "isLinkLocalUnicast": {"", "Whether it is a link-local unicast address.", one},
	"isGlobalUnicast": {"", "Whether it is a global unicast address.", one},
	"cidr":            {"text", "A network such as '10.0.0.0/8'.", byParse}, "isCIDR": {"text", "Whether a string is a network.", byParse},
	"containsIP": {"address", "Whether the network has an address.", one}, "containsCIDR": {"network", "Whether the network has another.", one},
	"masked": {"", "The network with its host bits zero.", one}, "prefixLength": {"", "The length of the prefix in bits.", one},
	"url": {"text", "An absolute URL or path.", byParse}, "isURL": {"text", "Whether a string is a URL.", byParse},
	"getScheme": {"", "The scheme, empty if there is none.", one}, "getHost": {"", "Host and port.", one}, "getHostname": {"", "The host without port and brackets.", one},
	"getPort": {"", "The port as a string.", one}, "getEscapedPath": {"", "The path, escaped.", one}, "getQuery": {"", "The values by key, unescaped.", one},

	// Formats.
	"format.named":                  {"name", "A format by its name, as an optional.", one},
	"format.dns1123Label":           {"", "A name such as web-1: at most 63 lower-case letters, digits and dashes.", one},
	"format.dns1123Subdomain":       {"", "Such labels with dots between them, at most 253 characters.", one},
	"format.dns1035Label":           {"", "As dns1123Label, beginning with a letter: the name of a Service.", one},
	"format.qualifiedName":          {"", "The key of a label or annotation, with or without a prefix.", one},
	"format.dns1123LabelPrefix":     {"", "A generateName for a dns1123Label: it may end with a dash.", one},
	"format.dns1123SubdomainPrefix": {"", "A generateName for a dns1123Subdomain.", one},
	"format.dns1035LabelPrefix":     {"", "A generateName for a dns1035Label.", one},
	"format.labelValue":             {"", "The value of a label: at most 63 characters, or empty.", one},
	"format.uri":                    {"", "A URI that url() accepts.", one},
	"format.uuid":                   {"", "A UUID.", one},
	"format.byte":                   {"", "Bytes in base64.", one},
	"format.date":                   {"", "A date such as 2026-01-31.", one},
	"format.datetime":               {"", "A time such as 2026-01-31T12:00:00Z.", one},
	"validate":                      {"text", "Without a value if the string has the format, else the list of errors.", byLength},

	// Authorizer.
	"path": {"path", "A check of a path such as /healthz.", one}, "group": {"group", "Begins a check of a resource in an API group; '' is the core group.", one},
	"serviceAccount": {"namespace, name", "Checks for a service account instead of the user of the request.", one},
	"resource":       {"resource", "The plural name of the resource to check.", one}, "subresource": {"name", "The subresource to check.", one},
	"namespace": {"namespace", "The namespace to check; without it, all of them.", one}, "name": {"name", "The name of the object to check.", one},
	"fieldSelector": {"selector", "Limits the check to objects that a field selector selects.", "10 and more by length"},
	"labelSelector": {"selector", "Limits the check to objects that a label selector selects.", "10 and more by length"},
	"check":         {"verb", "Whether the verb is allowed.", checkFee}, "allowed": {"", "Whether the check was allowed.", one},
	"reason": {"", "The reason for the decision.", one}, "errored": {"", "Whether the check failed with an error.", one}, "error": {"", "The error of the check, or an empty string.", one},

	// Patches.
	"jsonpatch.escapeKey": {"key", "A map key for use in the path of a JSONPatch: ~ and / are escaped.", byLength},
}

// macroHelp describes the macros; body is what to insert after the name.
var macroHelp = map[string]struct {
	help
	body string
}{
	"has":               {help{"field", "Whether a field is set: has(object.spec.replicas). Fields above it must exist; use .? for a whole path.", "that of the path before the last field"}, "has(${object.field})"},
	"all":               {help{"item, condition", "Whether the condition holds for every item of a list, or key of a map.", loopFee}, "all(${item}, ${condition})"},
	"exists":            {help{"item, condition", "Whether the condition holds for at least one item.", loopFee}, "exists(${item}, ${condition})"},
	"exists_one":        {help{"item, condition", "Whether the condition holds for exactly one item. An error of any item counts.", loopFee}, "exists_one(${item}, ${condition})"},
	"existsOne":         {help{"index, item, condition", "Whether the condition holds for exactly one entry, with index or key.", loopFee}, "existsOne(${index}, ${item}, ${condition})"},
	"map":               {help{"item, value", "A list with a value for every item.", loopFee}, "map(${item}, ${value})"},
	"filter":            {help{"item, condition", "The items for which the condition holds.", loopFee}, "filter(${item}, ${condition})"},
	"optMap":            {help{"value, result", "An optional with a result made from the value, if there is one.", one}, "optMap(${value}, ${result})"},
	"optFlatMap":        {help{"value, result", "As optMap, where the result is an optional itself.", one}, "optFlatMap(${value}, ${result})"},
	"transformList":     {help{"index, item, value", "A list with a value for every entry.", loopFee}, "transformList(${index}, ${item}, ${value})"},
	"transformMap":      {help{"key, item, value", "A map with the same keys and new values.", loopFee}, "transformMap(${key}, ${item}, ${value})"},
	"transformMapEntry": {help{"key, item, entry", "A map of new entries, each written as a map of one: {k: v}.", loopFee}, "transformMapEntry(${key}, ${item}, ${entry})"},
	"sortBy":            {help{"item, key", "The items sorted by a key of each.", loopFee}, "sortBy(${item}, ${key})"},
}
