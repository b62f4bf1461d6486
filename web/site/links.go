package site

type siteLink struct{ Name, Path string }

var siteLinks = []siteLink{
	{"Playground", "/"},
	{"Examples", "/examples/"},
	{"Docs", "/docs/"},
	{"About", "/about/"},
}

// notSimulated is what no scenario can have simulated. What concerns only one
// scenario is in its report.
var notSimulated = []string{
	"Webhooks are not called: a browser cannot reach them. Their answers come from WebhookResponse documents in the cluster text; a webhook without one is taken to allow the request unchanged, and the result says so.",
	"The API server's other admission plugins (LimitRanger, ServiceAccount, ResourceQuota, PodSecurity and so on) do not run. Paste the request as an AdmissionReview that was captured behind them to see their effect.",
	"The API server's own validation of the object (is this a valid Pod?) does not run after the mutations.",
	"Policies run in the order of their names; the API server's order is not defined. Where another order would give another result, the result says so.",
	"Authorization is answered by the RBAC objects in the cluster text only. Node, webhook and ABAC authorizers are not there.",
	"Time does not pass: timeouts and match condition deadlines are not simulated, cost limits are.",
}
