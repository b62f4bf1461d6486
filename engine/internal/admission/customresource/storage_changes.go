package customresource

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// keeps notes what storage does not keep of the object, or adds to it: a field that a
// policy wrote and the schema does not have, or one that only the version of the
// request has. Nothing rejects that, and validating policies still see the object as
// it was.
func (s *stage) keeps() {
	a := &s.Attributes
	if a.SubResource != "" && a.SubResource != "status" {
		return
	}
	back, stored := s.Catalog.Reread(a.Kind, a.Object)
	if stored == "" {
		return
	}
	var lost, added []string
	for _, op := range diff.Objects(a.Object, back) {
		switch path := fieldpath.FromPointer(op.Path); {
		case strings.HasPrefix(op.Path, "/metadata/") && op.Op != "remove":
		case op.Op == "remove":
			lost = append(lost, path.String())
		default:
			added = append(added, path.String())
		}
	}
	schema := "the schema of " + stored
	if stored != a.Kind.Version {
		schema += ", the version that is stored,"
	}
	if len(lost) > 0 {
		s.Note(codes.LostInStorage, fmt.Sprintf("The object is stored without %s: %s does not have that. The validating phase still sees it.", strings.Join(lost, ", "), schema))
	}
	if len(added) > 0 {
		s.Note(codes.LostInStorage, fmt.Sprintf("The object is stored with %s, as %s says. The validating phase does not see it.", strings.Join(added, ", "), schema))
	}
}
