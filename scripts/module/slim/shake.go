package main

import (
	"maps"
	"slices"
	"strings"
)

// mentioned are the names that the packages before mention, by the package that declares them.
type mentioned map[string]map[string]bool

// importersFirst is the packages in an order in which each comes after those that import it.
func importersFirst(packages map[string]*listed) []string {
	var order []string
	seen := map[string]bool{}
	var visit func(string)
	visit = func(path string) {
		p := packages[path]
		if p == nil || seen[path] {
			return
		}
		seen[path] = true
		for _, imported := range p.Imports {
			visit(imported)
		}
		order = append(order, path)
	}
	for _, path := range sortedKeys(packages) {
		visit(path)
	}
	slices.Reverse(order)
	return order
}

// shake cuts what neither the importers mention nor what is left. What a package does when the
// program starts stays, whoever imports it.
func (s *source) shake(names map[string]bool) {
	if len(names) == 0 {
		return // for what it does when it starts, or for nothing: then nobody imports it
	}
	patterns := []string{}
	for u := range s.units() {
		if slices.ContainsFunc(u.names, func(name string) bool { return name == "init" || names[name] }) {
			patterns = append(patterns, u.names...)
		}
	}
	if err := s.keep(patterns); err != nil {
		panic(err) // all of them are names of units
	}
}

// mentions notes which names of which packages are left.
func (s *source) mentions(in mentioned) {
	for _, f := range s.files {
		if f.dropped {
			continue
		}
		imports := map[string]string{}
		for _, spec := range f.tree.Imports {
			path := strings.Trim(spec.Path.Value, "\"`")
			name := s.nameOf(path)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = path
		}
		for _, u := range f.units {
			if u.cut {
				continue
			}
			for of, names := range u.selected {
				path := imports[of]
				if path == "" {
					continue
				}
				if in[path] == nil {
					in[path] = map[string]bool{}
				}
				maps.Copy(in[path], names)
			}
		}
	}
}
