package report

// Metric is a counter with the server's name and labels, or a histogram of durations. Durations
// come from real webhook calls; nothing else is timed here.
type Metric struct {
	Name   string            `json:"name"`   // such as apiserver_admission_webhook_request_total
	Labels map[string]string `json:"labels"` // as the server names them
	Value  int               `json:"value"`  // this request's change
	// Seconds are a histogram's durations, each measured in a real call.
	Seconds []float64 `json:"seconds,omitempty"`
}
