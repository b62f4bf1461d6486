package report

// Metric is a counter by the server's name and labels. Those that measure time
// are left out: nothing is timed here.
type Metric struct {
	Name   string            `json:"name"`   // such as apiserver_admission_webhook_request_total
	Labels map[string]string `json:"labels"` // as the server names them
	Value  int               `json:"value"`  // by how much this request moves it
}
