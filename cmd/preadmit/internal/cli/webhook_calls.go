package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file calls webhooks, which only happens on request. The engine returns what a webhook is
// sent. The response becomes a WebhookResponse in the cluster text, and the engine runs again until
// every call in every pass has a response.

// calls are the flags for real calls.
type calls struct {
	urls       map[string]string // by webhook name
	all        bool
	ca, record string
}

func (f flags) calls() *calls {
	c := &calls{urls: map[string]string{}}
	f.repeated("call", "", "`NAME=URL`: post the review for webhook NAME to this address (https), and continue with its answer; repeatable", func(s string) error {
		name, address, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return errors.New("it must be NAME=URL")
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
			return fmt.Errorf("%q is not an address like https://host:port/path", address)
		}
		c.urls[name] = address
		return nil
	})
	f.BoolVar(&c.all, "call-all", false, "call every webhook at the address of its clientConfig")
	f.text(&c.ca, "ca-file", "", "trust the certificates in this `FILE`; by default those of caBundle, or of the system")
	f.text(&c.record, "record", "", "write the scenario with the answers into this `FOLDER`")
	return c
}

func (c *calls) given() bool { return len(c.urls) > 0 || c.all }

// check rejects flags without effect.
func (c *calls) check() error {
	if !c.given() && (c.ca != "" || c.record != "") {
		return badInput("eval: --ca-file and --record need --call or --call-all")
	}
	return nil
}

// maxCalls limits the webhook calls for one request.
const maxCalls = 100

// maxAnswer limits a response's size, in bytes.
const maxAnswer = 16 << 20

// caller calls one scenario's webhooks.
type caller struct {
	*calls
	ca      []byte
	bundles map[string][]byte // the configurations' CA bundles, by webhook
	cluster string            // without the called webhooks' responses
	answers map[string][]map[string]any
}

// callWebhooks calls a scenario's webhooks and adds their responses to its cluster text.
func (a *app) callWebhooks(in *input, flags *calls) error {
	c := &caller{calls: flags, answers: map[string][]map[string]any{}, bundles: bundles(in.Policies + "\n---\n" + in.Cluster)}
	if flags.ca != "" {
		data, err := a.read(flags.ca)
		if err != nil {
			return err
		}
		c.ca = data
	}
	if err := c.known(in); err != nil {
		return err
	}
	c.cluster = c.withoutAnswers(in.Cluster)
	for range maxCalls {
		in.Cluster = c.text()
		r, err := a.evaluateOnce(a.ctx, in.Scenario)
		if err != nil {
			return fmt.Errorf("evaluating: %w", err)
		}
		s := c.due(r)
		if s == nil {
			delete(in.sources, diag.Cluster)
			in.add(diag.Cluster, "the cluster text with answers", in.Cluster, 1)
			return c.write(in)
		}
		answer, err := c.call(a.ctx, s)
		if err != nil {
			return err
		}
		c.answers[s.Webhook] = append(c.answers[s.Webhook], answer)
	}
	return badInput("eval: webhooks would be called more than %d times", maxCalls)
}

// known rejects the name of a webhook that does not exist.
func (c *caller) known(in *input) error {
	var names []string
	for name := range c.bundles {
		names = append(names, name)
	}
	slices.Sort(names)
	for name := range c.urls {
		if _, ok := c.bundles[name]; !ok {
			return badInput("eval: no webhook is called %s; there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// bundles returns the CA bundles of a text's webhooks, by name.
func bundles(text string) map[string][]byte {
	out := map[string][]byte{}
	docs, _ := scenario.ParseDocuments(diag.Policies, text) // its problems are in the report
	for _, d := range docs {
		var configuration struct {
			Webhooks []struct {
				Name         string `json:"name"`
				ClientConfig struct {
					CABundle string `json:"caBundle"`
				} `json:"clientConfig"`
			} `json:"webhooks"`
		}
		if !strings.HasSuffix(d.Kind, "WebhookConfiguration") || json.Unmarshal(d.JSON(), &configuration) != nil {
			continue
		}
		for _, w := range configuration.Webhooks {
			bundle, _ := base64.StdEncoding.DecodeString(w.ClientConfig.CABundle) // a wrong bundle shows when TLS fails
			out[w.Name] = bundle
		}
	}
	return out
}

func (c *caller) wants(name string) bool {
	_, named := c.urls[name]
	return named || c.all
}

// withoutAnswers removes the called webhooks' responses from a text.
func (c *caller) withoutAnswers(text string) string {
	docs, _ := scenario.ParseDocuments(diag.Cluster, text)
	for _, d := range slices.Backward(docs) {
		if d.Kind == "WebhookResponse" && !d.FromList && c.wants(d.Name) {
			text = text[:d.Span.Start] + text[d.Span.End:]
		}
	}
	return text
}

// text is the cluster text with the responses so far.
func (c *caller) text() string {
	out := strings.TrimRight(c.cluster, "\n")
	var names []string
	for name := range c.answers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		spec := any(c.answers[name][0])
		if len(c.answers[name]) > 1 {
			spec = map[string]any{"sequence": c.answers[name]}
		}
		document, err := yaml.Marshal(map[string]any{"apiVersion": "preadmit.dev/v1", "kind": "WebhookResponse", "metadata": map[string]any{"name": name}, "spec": spec})
		if err != nil {
			continue // of texts, numbers and what JSON gave
		}
		if out != "" {
			out += "\n---\n"
		}
		out += strings.TrimRight(string(document), "\n")
	}
	if out == "" {
		return ""
	}
	return out + "\n"
}

// due returns the first call without a response.
func (c *caller) due(r *report.Report) *report.Step {
	attempts := map[string]int{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Webhook == "" || s.Address == "" || !c.wants(s.Webhook) {
			continue
		}
		if attempts[s.Webhook]++; attempts[s.Webhook] > len(c.answers[s.Webhook]) && s.Sent != nil {
			return s
		}
	}
	return nil
}

// call posts a review as the server does, and returns the response as a WebhookResponse.
func (c *caller) call(ctx context.Context, s *report.Step) (map[string]any, error) {
	body, err := json.Marshal(s.Sent)
	if err != nil {
		return nil, fmt.Errorf("writing the review of %s: %w", s.Webhook, err)
	}
	address, serverName, err := c.address(s)
	if err != nil {
		return nil, err
	}
	client, err := c.client(s.Webhook, serverName)
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, timeoutOf(s.Address))
	defer cancel()
	start := time.Now()
	answer, err := post(ctx, client, address, body)
	if err != nil {
		return nil, err
	}
	answer["recordedFrom"], answer["tookSeconds"] = address, float64(time.Since(start).Round(time.Millisecond).Milliseconds())/1000
	return answer, nil
}

// address returns the URL for a review, and the certificate's name if it differs.
func (c *caller) address(s *report.Step) (address, serverName string, err error) {
	own, err := url.Parse(s.Address)
	if err != nil {
		return "", "", fmt.Errorf("the address of %s: %w", s.Webhook, err)
	}
	given, named := c.urls[s.Webhook]
	if !named {
		return s.Address, own.Hostname(), nil
	}
	u, err := url.Parse(given)
	if err != nil {
		return "", "", fmt.Errorf("the address of %s: %w", s.Webhook, err)
	}
	u.RawQuery = own.RawQuery
	return u.String(), u.Hostname(), nil
}

// timeoutOf returns the timeout that the server adds to an address.
func timeoutOf(address string) time.Duration {
	if u, err := url.Parse(address); err == nil {
		if d, err := time.ParseDuration(u.Query().Get("timeout")); err == nil {
			return d
		}
	}
	return 10 * time.Second
}

// client trusts the given CA file, or the webhook's bundle, or the system's certificates.
func (c *caller) client(webhook, serverName string) (*http.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
	for _, pem := range [][]byte{c.ca, c.bundles[webhook]} {
		if len(pem) == 0 {
			continue
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, badInput("eval: there is no certificate in the CA bundle for %s", webhook)
		}
		break
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}}, nil
}

// maxRetries limits the repetitions that the server's client makes for Retry-After.
const maxRetries = 10

// post makes one call, repeated as the server's client does. Failures of the call are part of the
// response. The error is for failures that are not the webhook's.
func post(ctx context.Context, client *http.Client, address string, body []byte) (map[string]any, error) {
	for try := 0; ; try++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("calling %s: %w", address, err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, */*")
		response, err := client.Do(request)
		if err != nil {
			return failed(ctx, err)
		}
		data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
		response.Body.Close()
		if err != nil {
			return failed(ctx, err)
		}
		if len(data) > maxAnswer {
			return nil, badInput("eval: the answer of %s is larger than %d MiB", address, maxAnswer>>20)
		}
		after, again := retryAfter(response)
		if !again || try >= maxRetries {
			return answered(response, data), nil
		}
		select {
		case <-ctx.Done():
			return failed(ctx, ctx.Err())
		case <-time.After(after):
		}
	}
}

// retryAfter returns the time that the server's client waits before it repeats a call.
func retryAfter(r *http.Response) (time.Duration, bool) {
	if r.StatusCode != http.StatusTooManyRequests && r.StatusCode < http.StatusInternalServerError {
		return 0, false
	}
	seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
	return time.Duration(seconds) * time.Second, err == nil && seconds >= 0
}

// failed is a call without a response.
func failed(ctx context.Context, err error) (map[string]any, error) {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return nil, err // the user stopped it
	}
	if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return map[string]any{"timeout": true}, nil
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return map[string]any{"connectionError": err.Error()}, nil
}

// answered is a response as a WebhookResponse.
func answered(r *http.Response, data []byte) map[string]any {
	out := map[string]any{"headers": map[string]any{"Content-Type": r.Header.Get("Content-Type")}}
	if r.StatusCode != http.StatusOK {
		out["httpStatus"] = r.StatusCode
	}
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if decoder.Decode(&object) == nil && object != nil && !decoder.More() {
		out["body"] = object
		return out
	}
	out["body"] = string(data)
	return out
}

// write writes the scenario with its responses into --record's folder.
func (c *caller) write(in *input) error {
	if c.record == "" {
		return nil
	}
	files, err := in.Files()
	if err != nil {
		return fmt.Errorf("writing the scenario: %w", err)
	}
	if err := os.MkdirAll(c.record, 0o777); err != nil {
		return unreadable(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(c.record, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
