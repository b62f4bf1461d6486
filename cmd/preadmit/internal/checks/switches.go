package checks

import (
	"fmt"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/nearest"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// SwitchesFile is the file that switches codes off or on for its folder and the folders below. The
// nearest such file above a policy that names the code decides.
const SwitchesFile = ".preadmit.yaml"

// Switches reads the switch files, each once.
type Switches struct {
	// Read returns a file's text, or false if the file does not exist.
	Read    func(path string) (text string, ok bool, err error)
	folders map[string]map[string]bool
}

// Without returns the problems whose codes are on. place returns a problem's file; problems without
// a file belong to the working directory. Server rejections are always reported. The error is a
// file that cannot be read.
func (s *Switches) Without(list diag.Diagnostics, place func(*diag.Diagnostic) string) (diag.Diagnostics, error) {
	var out diag.Diagnostics
	for i := range list {
		on, err := s.on(place(&list[i]), list[i].Code)
		if err != nil {
			return list, err
		}
		if on || list[i].Wrong() {
			out = append(out, list[i])
		}
	}
	return out, nil
}

// on reports whether a code is on for a file.
func (s *Switches) on(file, code string) (bool, error) {
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return true, fmt.Errorf("finding the folder of %s: %w", file, err)
	}
	for {
		switches, err := s.of(folder)
		if err != nil {
			return true, err
		}
		if on, named := switches[code]; named {
			return on, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return true, nil
		}
		folder = above
	}
}

// of returns a folder's switches, if any.
func (s *Switches) of(folder string) (map[string]bool, error) {
	if known, done := s.folders[folder]; done {
		return known, nil
	}
	path := filepath.Join(folder, SwitchesFile)
	text, ok, err := s.Read(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Rules map[string]bool `json:"rules"`
	}
	if ok {
		if err := yaml.UnmarshalStrict([]byte(text), &file); err != nil {
			return nil, fmt.Errorf("%s: write rules: with a line such as \"useless-message: off\": %w", path, err)
		}
	}
	for code := range file.Rules {
		if err := known(code); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if s.folders == nil {
		s.folders = map[string]map[string]bool{}
	}
	s.folders[folder] = file.Rules
	return file.Rules, nil
}

// known returns an error for a code that cannot be switched.
func known(code string) error {
	if _, ok := codes.Find(code); ok {
		return nil
	}
	var names []string
	for _, e := range codes.All() {
		names = append(names, e.Code)
	}
	if best, near := nearest.Of(names, code); near {
		return fmt.Errorf("there is no code %s, did you mean %s?", code, best)
	}
	return fmt.Errorf("there is no code %s", code)
}
