package bridge

import "context"

// PictureParams are those of picture.
type PictureParams struct {
	// ID is that of an evaluated report.
	ID    int64  `json:"id"`
	Title string `json:"title"`
	// Link leads to the scenario.
	Link string `json:"link"`
}

// Picture is the reply to picture.
type Picture struct {
	// Gone says that the report is no longer kept; the page evaluates again.
	Gone bool `json:"gone,omitempty"`
	// SVG is a whole file, Alt what it shows in words.
	SVG string `json:"svg"`
	Alt string `json:"alt"`
}

// drawPicture draws a report to be shared.
func drawPicture(ctx context.Context, p PictureParams) (Picture, error) {
	view, ok := results.find(p.ID)
	if !ok {
		return Picture{Gone: true}, nil
	}
	drawn, err := view.Picture(ctx, p.Title, p.Link)
	return Picture{SVG: drawn.SVG, Alt: drawn.Alt}, err
}
