package version

import (
	"slices"
	"strings"
)

// FunctionGroup is a set of CEL functions and macros that one version introduced.
type FunctionGroup struct {
	// Since is the first version whose API server accepts them in a new policy. The version before
	// can already evaluate them, so that a cluster can be rolled back.
	Since Version
	// Text lists the important ones, in Markdown.
	Text string
	// names are qualified as in CEL: "lists.range".
	names []string
	// words are further names that earlier versions reject: functions with a new signature, and
	// formats.
	words []string
	// everywhere are qualified names that today's CEL library declares for every version. The
	// compiler knows them, but completion does not offer them too early.
	everywhere []string
}

// functions were introduced after Oldest (semantics §1.8).
var functions = []FunctionGroup{
	{Since: Version{31}, Text: "`ip`, `cidr`",
		names: []string{"ip", "isIP", "ip.isCanonical", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast",
			"isGlobalUnicast", "cidr", "isCIDR", "containsIP", "containsCIDR", "masked", "prefixLength"}},
	{Since: Version{32}, Text: "`format.named` and the named formats, `fieldSelector`, `labelSelector`, `jsonpatch.escapeKey`",
		names: []string{"format.named", "validate", "fieldSelector", "labelSelector",
			"format.dns1123Label", "format.dns1123Subdomain", "format.dns1035Label", "format.qualifiedName", "format.dns1123LabelPrefix",
			"format.dns1123SubdomainPrefix", "format.dns1035LabelPrefix", "format.labelValue", "format.uri", "format.uuid",
			"format.byte", "format.date", "format.datetime"},
		everywhere: []string{"jsonpatch.escapeKey"}},
	{Since: Version{33}, Text: "comprehensions with two variables, `transformList`, `transformMap`, `first`, `last`, `unwrapOpt`",
		names:      []string{"existsOne", "transformList", "transformMap", "transformMapEntry"},
		everywhere: []string{"first", "last", "unwrapOpt", "optional.unwrap"},
		words:      []string{"all", "exists"}},
	{Since: Version{34}, Text: "`semver`",
		names: []string{"semver", "isSemver", "major", "minor", "patch"}},
	{Since: Version{35}, Text: "`distinct`, `flatten`, `lists.range`, `reverse`, `slice`, `sort`, `sortBy`",
		names: []string{"distinct", "flatten", "lists.range", "reverse", "slice", "sort", "sortBy"}},
	{Since: Version{38}, Text: "`includes`",
		names: []string{"includes"}},
}

// Functions lists the groups, oldest first.
func Functions() []FunctionGroup { return slices.Clone(functions) }

// FunctionSince returns the first version in which a new policy may use a qualified function or
// macro such as "lists.range"; the zero Version if every version has it.
func FunctionSince(name string) Version {
	for _, g := range functions {
		if slices.Contains(g.names, name) || slices.Contains(g.everywhere, name) {
			return g.Since
		}
	}
	return Version{}
}

// WordSince returns the first version that may have a name unknown to the compiler: a function, a
// macro, or part of a qualified name. It is the zero Version for other names.
func WordSince(word string) Version {
	for _, g := range functions {
		if slices.Contains(g.Words(), word) {
			return g.Since
		}
	}
	return Version{}
}

// Words returns the group's names for WordSince, with qualified names split.
func (g FunctionGroup) Words() []string {
	var list []string
	for _, name := range g.names {
		for part := range strings.SplitSeq(name, ".") {
			if !slices.Contains(list, part) {
				list = append(list, part)
			}
		}
	}
	return append(list, g.words...)
}
