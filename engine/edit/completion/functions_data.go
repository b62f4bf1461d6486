package completion

// This file says of every function what the declarations of the libraries do
// not: what it does, what it costs (semantics §2.2) and since which Kubernetes
// version new objects may use it (semantics §1.8).

// help describes a function or macro. Params names the arguments, without the
// receiver. Since is a minor version of Kubernetes 1.x; 0 means every version
// that has policies.
type help struct {
	params string
	doc    string
	cost   string
	since  int
}

// Costs in words. The unit is the server's CEL cost unit.
const (
	one      = "1"
	byLength = "a tenth of the length of the text"
	byTwice  = "a fifth of the length of the text"
	byMatch  = "a tenth of the text times a quarter of the pattern"
	byItems  = "one for each item"
	byParse  = "a tenth of the length of the text"
	checkFee = "350,000: at most two in one expression"
	loopFee  = "the cost of the body for each item"
)

var functionHelp = map[string]help{
	// Text.
	"charAt":        {"index", "The character at an index, empty at the end of the text.", one, 0},
	"contains":      {"text", "Whether the text contains another.", byLength, 0},
	"endsWith":      {"suffix", "Whether the text ends with another.", "a tenth of the length of the suffix", 0},
	"startsWith":    {"prefix", "Whether the text begins with another.", "a tenth of the length of the prefix", 0},
	"matches":       {"pattern", "Whether an RE2 pattern matches anywhere in the text. Anchor it with ^ and $ to match all of it.", byMatch, 0},
	"find":          {"pattern", "The first match of an RE2 pattern, empty if there is none.", byMatch, 0},
	"findAll":       {"pattern, limit", "All matches of an RE2 pattern, at most limit if given.", byMatch, 0},
	"indexOf":       {"what, from", "The first index of a text or list item, -1 if there is none.", byItems, 0},
	"lastIndexOf":   {"what, from", "The last index of a text or list item, -1 if there is none.", byItems, 0},
	"join":          {"separator", "The texts of a list as one, with a separator between them.", "a fifth of the length of the result", 0},
	"lowerAscii":    {"", "The text with ASCII letters in lower case.", byLength, 0},
	"upperAscii":    {"", "The text with ASCII letters in upper case.", byLength, 0},
	"replace":       {"old, new, limit", "The text with old replaced by new, everywhere or at most limit times.", byTwice, 0},
	"split":         {"separator, limit", "The parts of the text between separators.", byTwice, 0},
	"substring":     {"start, end", "The text from start up to end, or to its end.", byLength, 0},
	"trim":          {"", "The text without white space around it.", byLength, 0},
	"format":        {"arguments", "Fills %s, %d, %f, %e, %b, %x, %o and %.2f of the text with a list of arguments.", byLength, 30},
	"strings.quote": {"text", "The text in double quotes, special characters escaped.", byLength, 30},
	"size":          {"", "The number of characters, items, entries or bytes.", one, 0},

	// Conversions.
	"bool":      {"value", "A text such as 'true' as a boolean.", one, 0},
	"bytes":     {"value", "A text as its UTF-8 bytes.", one, 0},
	"double":    {"value", "A number or text as a floating-point number.", one, 0},
	"int":       {"value", "A number or text as an integer; a timestamp as seconds since 1970.", one, 0},
	"uint":      {"value", "A number or text as an unsigned integer.", one, 0},
	"string":    {"value", "A value as text. What object and params hold has no static type, so a messageExpression needs this.", one, 0},
	"timestamp": {"text", "An RFC 3339 text as a timestamp. Times in objects are texts: convert them with this.", one, 0},
	"duration":  {"text", "A text such as '1h30m' as a duration.", one, 0},
	"type":      {"value", "The type of a value.", one, 0},
	"dyn":       {"value", "The same value, its type left open: lets values of several types stand in one list.", one, 0},

	// Times.
	"getDate": {"timezone", "The day of the month, from 1.", one, 0}, "getDayOfMonth": {"timezone", "The day of the month, from 0.", one, 0},
	"getDayOfWeek": {"timezone", "The day of the week, Sunday is 0.", one, 0}, "getDayOfYear": {"timezone", "The day of the year, from 0.", one, 0},
	"getFullYear": {"timezone", "The year.", one, 0}, "getMonth": {"timezone", "The month, January is 0.", one, 0},
	"getHours": {"timezone", "The hour, or all hours of a duration.", one, 0}, "getMinutes": {"timezone", "The minute, or all minutes of a duration.", one, 0},
	"getSeconds": {"timezone", "The second, or all seconds of a duration.", one, 0}, "getMilliseconds": {"timezone", "The milliseconds of the second.", one, 0},

	// Lists.
	"isSorted": {"", "Whether the items are in ascending order.", byItems, 0},
	"sum":      {"", "The sum of the items, 0 if there are none.", byItems, 0},
	"min":      {"", "The smallest item; an error if there are none.", byItems, 0},
	"max":      {"", "The largest item; an error if there are none.", byItems, 0},
	"includes": {"value", "Whether a list holds a value, or a value equals another.", byItems, 38},
	"distinct": {"", "The items without repetitions.", byItems, 35}, "flatten": {"depth", "The items of the lists in the list.", byItems, 35},
	"reverse": {"", "The items in reverse order.", byItems, 35}, "slice": {"start, end", "The items from start up to end.", byItems, 35},
	"sort": {"", "The items in ascending order.", byItems, 35}, "lists.range": {"n", "The numbers from 0 up to n.", byItems, 35},
	"first": {"", "The first item as an optional.", one, 33}, "last": {"", "The last item as an optional.", one, 33},
	"unwrapOpt":       {"", "The values of the optionals in a list that have one.", byItems, 33},
	"sets.contains":   {"list, part", "Whether the first list has every item of the second.", "the product of both lengths", 30},
	"sets.equivalent": {"one, other", "Whether both lists have the same items, in any order and number.", "the product of both lengths", 30},
	"sets.intersects": {"one, other", "Whether the lists have an item in common.", "the product of both lengths", 30},

	// Optionals.
	"optional.of": {"value", "An optional that has this value.", one, 29}, "optional.none": {"", "The optional without a value.", one, 29},
	"optional.ofNonZeroValue": {"value", "An optional that has this value unless it is empty or zero.", one, 29},
	"optional.unwrap":         {"list", "The values of the optionals in a list that have one.", byItems, 33},
	"hasValue":                {"", "Whether the optional has a value.", one, 29}, "value": {"", "The value; an error if there is none.", one, 29},
	"or": {"other", "This optional if it has a value, else the other.", one, 29}, "orValue": {"default", "The value, or a default if there is none.", one, 29},

	// Quantities and versions.
	"quantity":   {"text", "A resource quantity such as '1.5Gi', for comparing and adding.", byParse, 29},
	"isQuantity": {"text", "Whether a text is a quantity.", byParse, 29}, "sign": {"quantity", "1, 0 or -1.", one, 29},
	"add": {"other", "The sum of two quantities.", one, 29}, "sub": {"other", "The difference of two quantities.", one, 29},
	"compareTo":          {"other", "-1 if less, 0 if equal, 1 if greater.", one, 29},
	"isLessThan":         {"other", "Whether it is less than another.", one, 29},
	"isGreaterThan":      {"other", "Whether it is greater than another.", one, 29},
	"asInteger":          {"", "The quantity as an integer; an error if it is none.", one, 29},
	"isInteger":          {"", "Whether asInteger would succeed.", one, 29},
	"asApproximateFloat": {"", "The quantity as a floating-point number.", one, 29},
	"semver":             {"text, normalize", "A semantic version; with normalize true, v1.2 counts as 1.2.0.", byParse, 34},
	"isSemver":           {"text, normalize", "Whether a text is a semantic version.", byParse, 34},
	"major":              {"", "The major version.", one, 34}, "minor": {"", "The minor version.", one, 34}, "patch": {"", "The patch version.", one, 34},

	// Addresses and URLs.
	"ip": {"text", "An IP address.", byParse, 31}, "isIP": {"text", "Whether a text is an IP address.", byParse, 31},
	"ip.isCanonical": {"text", "Whether a text is an IP address in its canonical form.", byTwice, 31},
	"family":         {"", "4 or 6.", one, 31}, "isUnspecified": {"", "0.0.0.0 or ::", one, 31}, "isLoopback": {"", "127.0.0.0/8 or ::1", one, 31},
	"isLinkLocalMulticast": {"", "Whether it is a link-local multicast address.", one, 31}, "isLinkLocalUnicast": {"", "Whether it is a link-local unicast address.", one, 31},
	"isGlobalUnicast": {"", "Whether it is a global unicast address.", one, 31},
	"cidr":            {"text", "A network such as '10.0.0.0/8'.", byParse, 31}, "isCIDR": {"text", "Whether a text is a network.", byParse, 31},
	"containsIP": {"address", "Whether the network has an address.", one, 31}, "containsCIDR": {"network", "Whether the network has another.", one, 31},
	"masked": {"", "The network with its host bits zero.", one, 31}, "prefixLength": {"", "The length of the prefix in bits.", one, 31},
	"url": {"text", "An absolute URL or path.", byParse, 0}, "isURL": {"text", "Whether a text is a URL.", byParse, 0},
	"getScheme": {"", "The scheme, empty if there is none.", one, 0}, "getHost": {"", "Host and port.", one, 0}, "getHostname": {"", "The host without port and brackets.", one, 0},
	"getPort": {"", "The port as text.", one, 0}, "getEscapedPath": {"", "The path, escaped.", one, 0}, "getQuery": {"", "The values by key, unescaped.", one, 0},

	// Formats.
	"format.named": {"name", "A format by its name, as an optional.", one, 32},
	"validate":     {"text", "Without a value if the text has the format, else the list of what is wrong.", byLength, 32},

	// Authorizer.
	"path": {"path", "A check of a path such as /healthz.", one, 28}, "group": {"group", "Begins a check of a resource in an API group; '' is the core group.", one, 28},
	"serviceAccount": {"namespace, name", "Checks for a service account instead of the user of the request.", one, 28},
	"resource":       {"resource", "The plural name of the resource to check.", one, 28}, "subresource": {"name", "The subresource to check.", one, 28},
	"namespace": {"namespace", "The namespace to check; without it, all of them.", one, 28}, "name": {"name", "The name of the object to check.", one, 28},
	"fieldSelector": {"selector", "Limits the check to objects that a field selector selects.", "10 and more by length", 32},
	"labelSelector": {"selector", "Limits the check to objects that a label selector selects.", "10 and more by length", 32},
	"check":         {"verb", "Asks whether the verb is allowed.", checkFee, 28}, "allowed": {"", "Whether the check was allowed.", one, 28},
	"reason": {"", "Why the check came out as it did.", one, 28}, "errored": {"", "Whether the check failed with an error.", one, 28}, "error": {"", "The error of the check, or an empty text.", one, 28},

	// Patches.
	"jsonpatch.escapeKey": {"key", "A map key for use in the path of a JSONPatch: ~ and / are escaped.", byLength, 32},
}

// macroHelp describes the macros; body is what to insert after the name.
var macroHelp = map[string]struct {
	help
	body string
}{
	"has":               {help{"field", "Whether a field is set: has(object.spec.replicas). Fields above it must exist; use .? for a whole path.", "that of the path before the last field", 0}, "has(${object.field})"},
	"all":               {help{"item, condition", "Whether the condition holds for every item of a list, or key of a map.", loopFee, 0}, "all(${item}, ${condition})"},
	"exists":            {help{"item, condition", "Whether the condition holds for at least one item.", loopFee, 0}, "exists(${item}, ${condition})"},
	"exists_one":        {help{"item, condition", "Whether the condition holds for exactly one item. An error of any item counts.", loopFee, 0}, "exists_one(${item}, ${condition})"},
	"existsOne":         {help{"index, item, condition", "Whether the condition holds for exactly one entry, with index or key.", loopFee, 33}, "existsOne(${index}, ${item}, ${condition})"},
	"map":               {help{"item, value", "A list with a value for every item.", loopFee, 0}, "map(${item}, ${value})"},
	"filter":            {help{"item, condition", "The items for which the condition holds.", loopFee, 0}, "filter(${item}, ${condition})"},
	"optMap":            {help{"value, result", "An optional with a result made from the value, if there is one.", one, 29}, "optMap(${value}, ${result})"},
	"optFlatMap":        {help{"value, result", "As optMap, where the result is an optional itself.", one, 29}, "optFlatMap(${value}, ${result})"},
	"transformList":     {help{"index, item, value", "A list with a value for every entry.", loopFee, 33}, "transformList(${index}, ${item}, ${value})"},
	"transformMap":      {help{"key, item, value", "A map with the same keys and new values.", loopFee, 33}, "transformMap(${key}, ${item}, ${value})"},
	"transformMapEntry": {help{"key, item, entry", "A map of new entries, each written as a map of one: {k: v}.", loopFee, 33}, "transformMapEntry(${key}, ${item}, ${entry})"},
	"sortBy":            {help{"item, key", "The items sorted by a key of each.", loopFee, 35}, "sortBy(${item}, ${key})"},
}
