//go:build apiserver

package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type object = map[string]any

// client talks to one API server as an administrator, or as somebody else on the
// administrator's behalf.
type client struct {
	command *exec.Cmd
	address string
	token   string
	http    *http.Client
	kinds   map[string]map[string]kind // by group version, by kind
}

// kind is what the server's discovery says about a kind.
type kind struct {
	resource   string
	namespaced bool
}

// start starts the API server, a built conformance/apiserver, with its data in dir, and more flags.
func start(ctx context.Context, program, dir string, flags ...string) (*client, error) {
	c := &client{command: exec.CommandContext(ctx, program, append([]string{dir, "--enable-admission-plugins=" + enabled}, flags...)...), kinds: map[string]map[string]kind{}}
	c.command.Cancel = func() error { return c.command.Process.Signal(os.Interrupt) }
	var log bytes.Buffer
	c.command.Stderr = &log
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.command.Wait() }()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		raw, err := os.ReadFile(filepath.Join(dir, "address"))
		if err == nil && len(raw) > 0 {
			c.address = string(raw)
			break
		}
		if time.Since(began) > 3*time.Minute {
			return nil, errors.New("the API server is not ready after three minutes:\n" + log.String())
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("the API server ended: %w\n%s", err, log.String())
		default:
		}
	}
	users, err := os.ReadFile(filepath.Join(dir, "users.csv"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(users)) {
		if token, rest, _ := strings.Cut(line, ","); strings.HasPrefix(rest, "admin,") {
			c.token = token
		}
	}
	authority, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	c.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}, Timeout: 30 * time.Second}
	return c, nil
}

// call is one HTTP request.
type call struct {
	method, path string
	media        string // of the body; empty means JSON
	body         []byte
	user         string // empty means the administrator
	groups       []string
}

// reply is what came back.
type reply struct {
	code     int
	object   object
	warnings []string
}

// do sends a request.
func (c *client) do(ctx context.Context, r call) (reply, error) {
	q, err := http.NewRequestWithContext(ctx, r.method, "https://"+c.address+r.path, bytes.NewReader(r.body))
	if err != nil {
		return reply{}, err
	}
	q.Header.Set("Authorization", "Bearer "+c.token)
	q.Header.Set("Accept", "application/json")
	if len(r.body) > 0 {
		q.Header.Set("Content-Type", or(r.media, "application/json"))
	}
	if r.user != "" {
		q.Header.Set("Impersonate-User", r.user)
		for _, g := range r.groups {
			q.Header.Add("Impersonate-Group", g)
		}
	}
	response, err := c.http.Do(q)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, err
	}
	out := reply{code: response.StatusCode}
	for _, w := range response.Header.Values("Warning") { // 299 - "text"
		if text, err := strconv.Unquote(strings.TrimPrefix(w, "299 - ")); err == nil {
			w = text
		}
		out.warnings = append(out.warnings, w)
	}
	if err := json.Unmarshal(raw, &out.object); err != nil {
		return out, fmt.Errorf("%s %s answered %d: %s", r.method, r.path, out.code, raw)
	}
	return out, nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// kindOf asks the server's discovery. A definition that was just created takes a
// moment.
func (c *client) kindOf(ctx context.Context, apiVersion, name string) (kind, error) {
	if k, ok := c.kinds[apiVersion][name]; ok {
		return k, nil
	}
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		answer, err := c.do(ctx, call{method: http.MethodGet, path: root(apiVersion)})
		if err == nil && answer.code == http.StatusOK {
			found := map[string]kind{}
			list, _ := answer.object["resources"].([]any)
			for _, each := range list {
				r, _ := each.(object)
				if resource, _ := r["name"].(string); !strings.Contains(resource, "/") {
					namespaced, _ := r["namespaced"].(bool)
					found[fmt.Sprint(r["kind"])] = kind{resource, namespaced}
				}
			}
			c.kinds[apiVersion] = found
			if k, ok := found[name]; ok {
				return k, nil
			}
		}
		if time.Since(began) > 5*time.Second {
			return kind{}, fmt.Errorf("the server does not know %s of %s", name, apiVersion)
		}
	}
}

// root is the path of a group's version.
func root(apiVersion string) string {
	if strings.Contains(apiVersion, "/") {
		return "/apis/" + apiVersion
	}
	return "/api/" + apiVersion
}

// path is that of an object, or without a name of its collection.
func (c *client) path(ctx context.Context, apiVersion, kind, namespace, name, subresource string) (string, error) {
	k, err := c.kindOf(ctx, apiVersion, kind)
	if err != nil {
		return "", err
	}
	p := root(apiVersion)
	if k.namespaced {
		p += "/namespaces/" + or(namespace, "default")
	}
	p += "/" + k.resource
	if name != "" {
		p += "/" + name
	}
	if subresource != "" {
		p += "/" + subresource
	}
	return p, nil
}

// create creates an object for good, or writes it over the one that is there. One
// that is being deleted is deleted after that.
func (c *client) create(ctx context.Context, o object) error {
	m, _ := o["metadata"].(object)
	if m["deletionTimestamp"] == nil {
		return c.write(ctx, o)
	}
	delete(m, "deletionTimestamp")
	delete(o, "status")
	if err := c.write(ctx, o); err != nil {
		return err
	}
	namespace, _ := m["namespace"].(string)
	name, _ := m["name"].(string)
	p, err := c.path(ctx, fmt.Sprint(o["apiVersion"]), fmt.Sprint(o["kind"]), namespace, name, "")
	if err != nil {
		return err
	}
	answer, err := c.do(ctx, call{method: http.MethodDelete, path: p})
	if err == nil && answer.code >= http.StatusMultipleChoices {
		err = fmt.Errorf("deleting %s %s: %v", o["kind"], name, answer.object["message"])
	}
	return err
}

// write creates an object, or writes it over the one that is there.
func (c *client) write(ctx context.Context, o object) error {
	m, _ := o["metadata"].(object)
	namespace, _ := m["namespace"].(string)
	name, _ := m["name"].(string)
	apiVersion, kind := fmt.Sprint(o["apiVersion"]), fmt.Sprint(o["kind"])
	collection, err := c.path(ctx, apiVersion, kind, namespace, "", "")
	if err != nil {
		return err
	}
	method, p := http.MethodPost, collection
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		raw, err := json.Marshal(o)
		if err != nil {
			return err
		}
		answer, err := c.do(ctx, call{method: method, path: p, body: raw})
		status, _ := o["status"].(object)
		switch {
		case err == nil && answer.code <= http.StatusCreated && (status == nil || strings.HasSuffix(p, "/status")):
			return nil
		case err == nil && answer.code <= http.StatusCreated: // status is written by itself
			answer.object["status"] = status
			method, p, o = http.MethodPut, collection+"/"+name+"/status", answer.object
		case err == nil && answer.code == http.StatusConflict:
			live, err := c.do(ctx, call{method: http.MethodGet, path: collection + "/" + name})
			if err != nil {
				return err
			}
			was, _ := live.object["metadata"].(object)
			m["resourceVersion"] = was["resourceVersion"]
			method, p = http.MethodPut, collection+"/"+name
		case answer.code == http.StatusNotFound && time.Since(began) < 30*time.Second:
			// the resources of a definition answer a moment after they are announced
		case err != nil:
			return err
		default:
			return fmt.Errorf("creating %s %s: %v", kind, name, answer.object["message"])
		}
	}
}
