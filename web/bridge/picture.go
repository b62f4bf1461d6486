package bridge

import "context"

// PictureParams are the parameters of picture.
type PictureParams struct {
	// ID is an evaluated report's.
	ID    int64  `json:"id"`
	Title string `json:"title"`
	// Link is the scenario's link.
	Link string `json:"link"`
}

// Picture is the reply to picture.
type Picture struct {
	// Gone says that the report is no longer kept. The page evaluates again.
	Gone bool `json:"gone,omitempty"`
	// SVG is a whole file. Alt describes it in words.
	SVG string `json:"svg"`
	Alt string `json:"alt"`
}

// drawPicture draws a report for sharing.
func drawPicture(ctx context.Context, p PictureParams) (Picture, error) {
	view, ok := results.find(p.ID)
	if !ok {
		return Picture{Gone: true}, nil
	}
	drawn, err := view.Picture(ctx, p.Title, p.Link)
	return Picture{SVG: drawn.SVG, Alt: drawn.Alt}, err
}
