package report

// Metric is a counter by the server's name and labels, or a histogram of times. Times
// are those of webhooks that were really called; nothing else is timed here.
type Metric struct {
	Name   string            `json:"name"`   // such as apiserver_admission_webhook_request_total
	Labels map[string]string `json:"labels"` // as the server names them
	Value  int               `json:"value"`  // by how much this request moves it
	// Seconds are the times of a metric of durations, each measured in a real call.
	Seconds []float64 `json:"seconds,omitempty"`
}
