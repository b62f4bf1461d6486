package serve

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine/scenario"
)

const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}
  validations: [{expression: "object.metadata.name != 'bad'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`

// loaded returns a server with a policy.
func loaded(t *testing.T, limits Limits) *Server {
	t.Helper()
	s := New(limits)
	if problems := s.Load(scenario.Scenario{Policies: policy}); problems.HasErrors() {
		t.Fatal(problems)
	}
	return s
}

// update returns a review that updates a ConfigMap of the given size.
func update(name string, bytes int) string {
	object := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"namespace":"b"},"data":{"a":%q}}`, name, strings.Repeat("x", bytes))
	return fmt.Sprintf(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":"","version":"v1","kind":"ConfigMap"},"resource":{"group":"","version":"v1","resource":"configmaps"},"name":%q,"namespace":"b","operation":"UPDATE","userInfo":{"username":"jane"},"object":%s,"oldObject":%s}}`, name, object, object)
}

func post(s *Server, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	s.Handler().ServeHTTP(w, r)
	return w
}

// Reviews up to the limit are accepted; an update has the object twice.
func TestLongReviews(t *testing.T) {
	s := loaded(t, Defaults)
	for _, test := range []struct {
		name  string
		bytes int
		code  int
	}{{"a", 3 << 20, 200}, {"a", 4_190_000, 200}, {"bad", 4_190_000, 200}, {"a", 4_200_000, 413}} {
		w := post(s, "/validate", update(test.name, test.bytes))
		if w.Code != test.code {
			t.Errorf("two objects of %d bytes: %d %.200s", test.bytes, w.Code, w.Body)
			continue
		}
		if w.Code != 200 {
			continue
		}
		var answer struct{ Response struct{ Allowed bool } }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Response.Allowed != (test.name == "a") {
			t.Errorf("%s: %v %s", test.name, err, w.Body)
		}
	}
	// One with an unknown field is parsed differently, and completely too.
	if w := post(s, "/validate", strings.Replace(update("a", 3<<20), `"uid":"u"`, `"uid":"u","other":1`, 1)); !strings.Contains(w.Body.String(), "unknown field") {
		t.Errorf("with an unknown field: %d %.200s", w.Code, w.Body)
	}
}

// A review that takes too long gets 504, and the failure policy decides.
func TestTimeIsOver(t *testing.T) {
	if w := post(loaded(t, Defaults), "/validate?timeout=1ns", update("a", 10)); w.Code != http.StatusGatewayTimeout {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// listening is a server on a port, with TLS.
func listening(t *testing.T, s *Server) net.Listener {
	t.Helper()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(s.Handler())
	if err := server.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	server.Listener = &bounded{plain, s.clients, s.limits}
	server.StartTLS()
	t.Cleanup(server.Close)
	return plain
}

var insecure = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // of a test

// slowly begins a review and sends one byte of it.
func slowly(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := tls.Dial("tcp", l.Addr().String(), insecure)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, "POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	return c
}

func send(t *testing.T, l net.Listener) (int, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: insecure, DisableKeepAlives: true}, Timeout: 20 * time.Second}
	r, err := client.Post("https://"+l.Addr().String()+"/validate", "application/json", strings.NewReader(update("a", 10)))
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Body.Close() }()
	return r.StatusCode, nil
}

// Slow clients do not take other clients' places, and are disconnected.
func TestSlowClients(t *testing.T) {
	limits := Defaults
	limits.Concurrent, limits.Receive = 4, 300*time.Millisecond
	s := loaded(t, limits)
	l := listening(t, s)
	var slow []net.Conn
	for range 20 {
		slow = append(slow, slowly(t, l))
	}
	if code, err := send(t, l); code != 200 {
		t.Errorf("beside 20 slow clients: %d, %v", code, err)
	}
	for _, c := range slow {
		if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(c).ReadString('\n'); !strings.Contains(line, "408") {
			t.Errorf("a slow client gets %q, %v", line, err)
		}
	}
}

// A client's connections are limited. Closing one frees it.
func TestConnectionsOfAClient(t *testing.T) {
	limits := Defaults
	limits.Connections = 3
	s := loaded(t, limits)
	l := listening(t, s)
	var open []net.Conn
	for range 3 {
		open = append(open, slowly(t, l))
	}
	if code, err := send(t, l); err == nil {
		t.Errorf("the fourth connection gets %d", code)
	}
	for _, c := range open {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for wait := 0; ; wait++ {
		if code, _ := send(t, l); code == 200 {
			break
		}
		if wait > 100 {
			t.Fatal("closed connections are counted for ever")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// One client's use leaves room for another, and everything is released.
func TestClientsShare(t *testing.T) {
	c, l := newClients(), Limits{Concurrent: 8, Connections: 2, All: 3, Received: 100}
	for range 6 {
		if !c.evaluate("a", l) {
			t.Error("a client has three quarters of the places")
		}
	}
	if c.evaluate("a", l) || !c.evaluate("b", l) {
		t.Error("one client has all places, or leaves none")
	}
	if !c.receive("a", 25, l) || c.receive("a", 1, l) || !c.receive("b", 25, l) || !c.receive("c", 25, l) || !c.receive("d", 25, l) || c.receive("e", 1, l) {
		t.Error("the bytes are not shared")
	}
	first, second := c.connect("a", l), c.connect("a", l)
	if !first || !second || c.connect("a", l) || !c.connect("b", l) || c.connect("c", l) {
		t.Error("the connections are not shared")
	}
	for range 6 {
		c.evaluated("a")
	}
	c.evaluated("b")
	for _, client := range []string{"a", "b", "c", "d"} {
		c.receive(client, -25, l)
	}
	c.disconnect("a")
	c.disconnect("a")
	c.disconnect("b")
	if len(c.held) != 0 || c.connections != 0 || c.bytes != 0 {
		t.Errorf("something is still held: %+v", c)
	}
}
