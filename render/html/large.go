package html

import (
	"strconv"
	"strings"
)

// largestShown limits the YAML size, in bytes, of objects that the page shows and compares. etcd
// accepts requests of 1.5 MB, and the memory for comparing two texts grows with their differences.
// 20,000 containers with defaults are 6 MB, and made the page's engine exceed its maximum of 4 GB.
const largestShown = 2 << 20

// mostOperations limits a step's listed changes: a plugin changes each of 20,000 containers.
const mostOperations = 1000

// tooLarge reports whether any value exceeds largestShown as YAML.
func tooLarge(values ...any) bool {
	for _, v := range values {
		if left := largestShown; !fits(v, 0, &left) {
			return true
		}
	}
	return false
}

// fits subtracts a value's YAML size from left, and reports whether it fits. The size is an
// estimate: quoted and wrapped strings are slightly longer.
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
		*left -= 8 // a float
	}
	return *left >= 0
}

// notShown replaces an object or comparison that is too large.
const notShown = "More than 2 MB of YAML, too large to show here."

// notShownInstead says where to get it.
const notShownInstead = "On the command line, preadmit eval prints the change with -o diff, and the object with -o json."
