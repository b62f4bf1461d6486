package html

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/engine/report"
)

// Sizes in a drawn graph, in pixels.
const (
	graphBox    = 190 // width of a node
	graphHeight = 40  // height of a node
	graphGap    = 96  // between columns, where the lines bend
	graphRow    = 16  // between rows
	graphLane   = 20  // between back edges below all nodes
	graphMargin = 24
)

// maxGraph limits the drawn nodes. The command line writes larger graphs.
const maxGraph = 60

// graphColumns are the node columns by kind: dependents are left of their dependencies. Fields that
// a policy writes are right of policies.
var graphColumns = map[string]int{"configuration": 0, "webhook": 1, "service": 2, "url": 2, "pods": 3, "field": 0, "policy": 1}

// drawnGraph is a graph with positions.
type drawnGraph struct {
	Width, Height int
	Box           int // width of a node
	Nodes         []drawnNode
	Edges         []drawnEdge
}

type drawnNode struct {
	report.GraphNode
	column, row int
	used        int // index among the columns with nodes
	X, Y        int
}

// drawnEdge is a line with an arrow. A back edge has its label next to it.
type drawnEdge struct {
	report.GraphEdge
	FromLabel, ToLabel string
	Line, Arrow        string // the data of SVG paths
	Words              string
	WordsX, WordsY     int
	Anchor             string // end of the label at that position
}

// drawGraph positions a graph's nodes and edges: nodes in columns, lines from left to right, and
// back edges in lanes below all nodes. A narrow graph is drawn top to bottom instead.
func drawGraph(g *report.Graph) drawnGraph {
	d := drawnGraph{Box: graphBox}
	index := map[string]int{}
	written := map[string]bool{}
	for _, e := range g.Edges {
		written[e.To] = written[e.To] || e.Kind == "writes"
	}
	for i, n := range g.Nodes {
		column := graphColumns[n.Kind]
		if written[n.ID] {
			column = 2
		}
		index[n.ID] = i
		d.Nodes = append(d.Nodes, drawnNode{GraphNode: n, column: column})
	}
	bottom := d.place(g.Edges, index)
	d.lines(g.Edges, index, bottom)
	return d
}

// lines draws the edges between existing nodes, and makes room for back edges.
func (d *drawnGraph) lines(edges []report.GraphEdge, index map[string]int, bottom int) {
	type line struct {
		from, to drawnNode
		edge     report.GraphEdge
	}
	var lines []line
	lanes := 0
	for _, e := range edges {
		from, okFrom := index[e.From]
		to, okTo := index[e.To]
		if !okFrom || !okTo {
			continue
		}
		if d.Nodes[from].column >= d.Nodes[to].column {
			lanes++
		}
		lines = append(lines, line{d.Nodes[from], d.Nodes[to], e})
	}
	upright := d.isUpright(lanes)
	if upright {
		bottom = d.upright(edges)
		for i := range lines {
			lines[i].from, lines[i].to = d.Nodes[index[lines[i].edge.From]], d.Nodes[index[lines[i].edge.To]]
		}
	}
	lane := 0
	for _, l := range lines {
		edge := drawnEdge{GraphEdge: l.edge, FromLabel: l.from.Label, ToLabel: l.to.Label}
		forward := l.from.column < l.to.column
		switch {
		case forward && upright:
			edge.down(l.from, l.to)
		case forward:
			edge.forward(l.from, l.to)
		case upright:
			edge.up(l.from, l.to, bottom, d.Width, lane)
		default:
			edge.back(l.from, l.to, bottom, lane)
		}
		if !forward {
			lane++
		}
		d.Edges = append(d.Edges, edge)
	}
	d.Height = bottom + graphMargin
	if upright {
		d.Height = bottom + uprightMargin
		d.Width += lanes * uprightLane
	}
	if lanes > 0 {
		d.Height += lanes * graphLane
	}
}

// place puts the nodes into rows, each near its predecessors, and returns the lowest bottom.
func (d *drawnGraph) place(edges []report.GraphEdge, index map[string]int) int {
	columns := map[int][]int{}
	last := 0
	for i, n := range d.Nodes {
		columns[n.column] = append(columns[n.column], i)
		last = max(last, n.column)
	}
	used, bottom := 0, 0
	for c := range last + 1 {
		list := columns[c]
		if len(list) == 0 {
			continue
		}
		d.settle(list, edges, index)
		for row, i := range list {
			n := &d.Nodes[i]
			n.row, n.used = row, used
			n.X = graphMargin + used*(graphBox+graphGap)
			n.Y = graphMargin/2 + row*(graphHeight+graphRow)
			bottom = max(bottom, n.Y+graphHeight)
		}
		used++
	}
	d.Width = 2*graphMargin + used*graphBox + max(used-1, 0)*graphGap
	return bottom
}

// settle orders a column's nodes by their predecessors' rows.
func (d *drawnGraph) settle(list []int, edges []report.GraphEdge, index map[string]int) {
	mean := map[int]float64{}
	for at, i := range list {
		sum, n := 0.0, 0
		for _, e := range edges {
			from, ok := index[e.From]
			if ok && e.To == d.Nodes[i].ID && d.Nodes[from].column < d.Nodes[i].column {
				sum, n = sum+float64(d.Nodes[from].row), n+1
			}
		}
		mean[i] = float64(at)
		if n > 0 {
			mean[i] = sum / float64(n)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
}

// forward draws an edge to a node further right.
func (e *drawnEdge) forward(from, to drawnNode) {
	x1, y1 := from.X+graphBox, from.Y+graphHeight/2
	x2, y2 := to.X, to.Y+graphHeight/2
	bend := graphGap / 2
	e.Line = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2-bend, y2, x2, y2)
	e.Arrow = arrowAt(x2, y2)
}

// back draws an edge to a node that is not further right: out on the right, through a lane below
// all nodes, and in from the left.
func (e *drawnEdge) back(from, to drawnNode, bottom, lane int) {
	aside := 6 + lane%3*4
	x1, y1 := from.X+graphBox, from.Y+graphHeight/2+4
	x2, y2 := to.X, to.Y+graphHeight/2+6
	below := bottom + graphMargin/2 + lane*graphLane + graphLane/2
	e.Line = fmt.Sprintf("M%d %dH%dV%dH%dV%dH%d", x1, y1, x1+aside, below, x2-aside, y2, x2)
	e.Arrow = arrowAt(x2, y2)
	e.words((x1+x2)/2, below-4, "middle")
}

// words labels an edge.
func (e *drawnEdge) words(x, y int, anchor string) {
	e.Words = edgeWords(e.GraphEdge)
	e.WordsX, e.WordsY, e.Anchor = x, y, anchor
}

func edgeWords(e report.GraphEdge) string {
	if e.Label == "" {
		return e.Kind
	}
	return e.Kind + ": " + e.Label
}

func arrowAt(x, y int) string { return fmt.Sprintf("M%d %dl7 4l-7 4z", x-7, y-4) }
