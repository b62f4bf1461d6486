package html

import (
	"strconv"
	"strings"
)

// largestShown is how many bytes of YAML an object may take to be shown and compared on the
// page: etcd takes 1.5 MB of a request, and the memory that comparing two texts takes grows
// with what differs. 20,000 containers with their defaults are 6 MB, and took the engine of
// the page over the 4 GB that it can have.
const largestShown = 2 << 20

// mostOperations is how many changes of one step are listed: a plugin changes each of 20,000
// containers.
const mostOperations = 1000

// tooLarge reports whether any of the values takes more than largestShown as YAML.
func tooLarge(values ...any) bool {
	for _, v := range values {
		if left := largestShown; !fits(v, 0, &left) {
			return true
		}
	}
	return false
}

// fits takes the bytes that a value has as YAML from those that are left, and reports whether
// there were enough. They are about as many as the writer makes: of texts that it quotes, and
// of long ones that it breaks, it makes some more.
func fits(v any, indent int, left *int) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			if *left -= indent + len(key) + len(": \n"); *left < 0 || !fits(item, indent+2, left) {
				return false
			}
		}
	case []any:
		for _, item := range v {
			if *left -= indent + len("- "); *left < 0 || !fits(item, indent+2, left) {
				return false
			}
		}
	case string:
		*left -= len(v) + strings.Count(v, "\n")*indent
	case bool, nil:
		*left -= len("true")
	case int64:
		*left -= len(strconv.FormatInt(v, 10))
	default:
		*left -= 8 // a number with a fraction
	}
	return *left >= 0
}

// notShown is shown instead of an object or a comparison that is too large.
const notShown = "More than 2 MB of YAML, too large to show here."

// notShownInstead says where it can be had.
const notShownInstead = "On the command line, preadmit eval prints the change with -o diff, and the object with -o json."
