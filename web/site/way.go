package site

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/html"
	"github.com/preadmit/preadmit/render/path"
)

// stations are a request's gates, each with its documentation page: the picture at the top of the
// documentation.
func stations() []html.Station {
	station := func(name string, state path.State, href, says string) html.Station {
		return html.Station{Gate: path.Gate{Name: name, State: state, Says: says}, Href: href}
	}
	return []html.Station{
		station("Request", path.Passed, "/docs/scenario/#the-request", "who asks for what"),
		station("Defaults", path.Passed, "/docs/scenario/#settings", "what the server fills in"),
		station("Mutating", path.Changed, "/docs/mutating-policies/", "policies that change the object"),
		station("Webhooks", path.Changed, "/docs/webhooks/", "services that the server calls"),
		station("2nd pass", path.Changed, "/tour/twice/", "changes are checked again"),
		station("Schema", path.Passed, "/docs/custom-resources/", "the kind's own validation"),
		station("Validating", path.Passed, "/docs/start/", "policies that allow or deny"),
		station("Answer", path.Passed, "/docs/report/#outcome", "what the client gets"),
	}
}

// lostWay is the picture for a URL that does not exist.
func lostWay() []html.Station {
	return []html.Station{
		{Gate: path.Gate{Name: "Your browser", State: path.Passed, Says: "the address was requested"}, Href: "/"},
		{Gate: path.Gate{Name: "The address", State: path.Stopped, Says: "there is nothing there"}, Href: "/examples/"},
		{Gate: path.Gate{Name: "A page", State: path.Hollow, Says: "none was found"}, Href: "/docs/"},
	}
}

// offlineWay is the picture for a page that needs the network.
func offlineWay() []html.Station {
	return []html.Station{
		{Gate: path.Gate{Name: "Your browser", State: path.Passed, Says: "the playground works without a network"}, Href: "/"},
		{Gate: path.Gate{Name: "The network", State: path.Stopped, Says: "there is none; try again"}, Href: ""},
		{Gate: path.Gate{Name: "This page", State: path.Hollow, Says: "it has not been visited with a network"}, Href: ""},
	}
}

// Dimensions of a card's small picture of the path, in its own units.
const (
	wayMiddle = 9
	wayWidth  = 156
)

// smallWay is the path of an example's request for a card: a line to where the request ends, with a
// gate wherever something happened.
type smallWay struct {
	// Line and Rest are the line before and after the request's end.
	Line, Rest string
	// Posts are the posts of gates with one state.
	Posts []smallPosts
	// Stop is the position of the gate that stopped the request, or negative.
	Stop int
	// Says describes the picture.
	Says string
}

type smallPosts struct {
	State path.State
	D     string
}

func smallWayOf(r *report.Report) (smallWay, bool) {
	gates := path.Of(r)
	if len(gates) == 0 {
		return smallWay{}, false
	}
	w := smallWay{Stop: -1, Says: "its request passes"}
	end := wayWidth
	posts := map[path.State]*strings.Builder{}
	for i, g := range gates[:len(gates)-1] {
		x := wayWidth * (2*i + 1) / (2 * len(gates))
		if g.State == path.Stopped {
			end, w.Stop, w.Says = x, x, "its request is stopped at "+g.Name
		} else if i == 0 {
			continue // the request itself is not a gate
		}
		if posts[g.State] == nil {
			posts[g.State] = &strings.Builder{}
		}
		fmt.Fprintf(posts[g.State], "M%d 2v14M%d 2v14", x-3, x+3)
	}
	if last := gates[len(gates)-1]; last.State == path.Hollow && w.Stop < 0 {
		w.Says = "no policy decides about its request"
	}
	w.Line = fmt.Sprintf("M0 %dH%d", wayMiddle, end)
	if end < wayWidth {
		w.Rest = fmt.Sprintf("M%d %dH%d", end, wayMiddle, wayWidth)
	}
	for _, s := range []path.State{path.Passed, path.Changed, path.Warned, path.Stopped} {
		if posts[s] != nil {
			w.Posts = append(w.Posts, smallPosts{s, posts[s].String()})
		}
	}
	return w, true
}
