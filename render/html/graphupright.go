package html

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/report"
)

// Sizes in a graph drawn top to bottom, in pixels. Two adjacent nodes fit on a phone, three next to
// the editors.
const (
	uprightBox    = 150 // width of a node
	uprightColumn = 12  // between nodes in a row
	uprightGap    = 36  // between rows, where the lines bend
	uprightLane   = 10  // between back edges, to the right of all nodes
	uprightMargin = 8
	uprightWidest = 3 // nodes in a row; a wider graph is drawn left to right
	uprightLanes  = 6 // back edges
	uprightLetter = 7 // maximum width of a letter in labels
)

// isUpright reports whether the graph is drawn top to bottom. That is narrower, unless it has wide
// rows.
func (d *drawnGraph) isUpright(back int) bool {
	widths := map[int]int{}
	widest := 0
	for _, n := range d.Nodes {
		widths[n.column]++
		widest = max(widest, widths[n.column])
	}
	return widest <= uprightWidest && back <= uprightLanes
}

// upright transposes the nodes: columns become rows. It leaves room for edge labels, and returns
// the lowest bottom.
func (d *drawnGraph) upright(edges []report.GraphEdge) int {
	d.Box, d.Width = uprightBox, 0
	bottom := 0
	for i := range d.Nodes {
		n := &d.Nodes[i]
		n.X = uprightMargin + n.row*(uprightBox+uprightColumn)
		n.Y = uprightMargin + n.used*(graphHeight+uprightGap)
		d.Width = max(d.Width, n.X+uprightBox+uprightMargin)
		bottom = max(bottom, n.Y+graphHeight)
	}
	for _, e := range edges {
		d.Width = max(d.Width, uprightMargin+uprightLetter*len(edgeWords(e)))
	}
	return bottom
}

// down draws an edge to a node in a lower row.
func (e *drawnEdge) down(from, to drawnNode) {
	x1, y1 := from.X+uprightBox/2, from.Y+graphHeight
	x2, y2 := to.X+uprightBox/2, to.Y
	bend := uprightGap / 2
	e.Line = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1, y1+bend, x2, y2-bend, x2, y2)
	e.Arrow = fmt.Sprintf("M%d %dh8l-4 7z", x2-4, y2-7)
}

// up draws an edge to a node that is not lower: out at the bottom, through a lane to the right of
// all nodes, and in from above. Its label is above the line, below all nodes. right is the nodes'
// right end.
func (e *drawnEdge) up(from, to drawnNode, bottom, right, lane int) {
	aside := 8 + lane%3*5
	x1, y1 := from.X+uprightBox/2+uprightBox/4, from.Y+graphHeight
	x2, y2 := to.X+uprightBox/2+uprightBox/4+lane%3*5, to.Y
	below := bottom + (lane+1)*graphLane
	beside := right + lane*uprightLane
	e.Line = fmt.Sprintf("M%d %dV%dH%dV%dH%dV%d", x1, y1, below, beside, y2-aside, x2, y2)
	e.Arrow = fmt.Sprintf("M%d %dh8l-4 7z", x2-4, y2-7)
	e.words(beside-4, below-4, "end")
}
