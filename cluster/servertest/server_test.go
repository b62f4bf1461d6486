//go:build apiserver

package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/cluster/internal/command"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// program is the environment variable with the path of the built conformance/apiserver.
const program = "PREADMIT_APISERVER"

// world is a running API server with testdata's objects. It is started once.
type world struct {
	dir     string
	command *exec.Cmd
	objects dynamic.Interface // as an administrator
	mapper  *restmapper.DeferredDiscoveryRESTMapper
}

var shared *world

func TestMain(m *testing.M) {
	w, err := start()
	if err == nil {
		err = w.settle()
	}
	if err != nil {
		os.Stderr.WriteString("starting the API server: " + err.Error() + "\n")
		os.Exit(1)
	}
	shared = w
	code := m.Run()
	w.end()
	os.Exit(code)
}

// end stops the server and removes its files.
func (w *world) end() {
	w.command.Process.Signal(os.Interrupt)
	w.command.Wait()
	os.RemoveAll(w.dir)
}

// start starts a server, with more flags, and creates testdata's objects.
func start(flags ...string) (*world, error) {
	dir, err := os.MkdirTemp("", "preadmit-cluster")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, command: exec.Command(os.Getenv(program), append([]string{dir}, flags...)...)}
	var log bytes.Buffer
	w.command.Stderr = &log
	if err := w.command.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "address")); err == nil {
			break
		}
		if time.Since(began) > 3*time.Minute {
			w.command.Process.Kill()
			return nil, &startError{log.String()}
		}
		select {
		case err := <-ended:
			return nil, err
		default:
		}
	}
	config, err := w.config("admin")
	if err != nil {
		return nil, err
	}
	if w.objects, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	w.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))
	if err := w.create(collect.Permissions()); err != nil {
		return nil, err
	}
	for _, name := range []string{"world.yaml", "policies.yaml"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			return nil, err
		}
		if err := w.create(string(raw)); err != nil {
			return nil, err
		}
	}
	return w, nil
}

type startError struct{ log string }

func (e *startError) Error() string { return "it is not ready after three minutes:\n" + e.log }

// config returns a user's connection.
func (w *world) config(user string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", w.kubeconfig(user))
	if err == nil {
		config.QPS, config.Burst = 500, 500
	}
	return config, err
}

func (w *world) kubeconfig(user string) string { return filepath.Join(w.dir, user+".kubeconfig") }

// mapping returns a kind's resource. After its definition is created, that takes a moment.
func (w *world) mapping(u *unstructured.Unstructured) (*meta.RESTMapping, error) {
	kind := u.GroupVersionKind()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		m, err := w.mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err == nil || !meta.IsNoMatchError(err) || time.Since(began) > time.Minute {
			return m, err
		}
		w.mapper.Reset()
	}
}

func (w *world) resource(u *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	return resource(w.objects, w, u)
}

func resource(client dynamic.Interface, w *world, u *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	m, err := w.mapping(u)
	if err != nil {
		return nil, err
	}
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		return client.Resource(m.Resource), nil
	}
	return client.Resource(m.Resource).Namespace(u.GetNamespace()), nil
}

// create creates a text's objects as an administrator.
func (w *world) create(text string) error {
	docs, problems := scenario.ParseDocuments(diag.Cluster, text)
	if diag.HasErrors(problems) {
		return diag.Diagnostics(problems)
	}
	for _, d := range docs {
		u := &unstructured.Unstructured{Object: d.Value}
		r, err := w.resource(u)
		if err != nil {
			return err
		}
		// A definition's resources are served a moment after discovery lists them.
		for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			_, err = r.Create(context.Background(), u, metav1.CreateOptions{})
			if !apierrors.IsNotFound(err) || time.Since(began) > time.Minute {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settle waits until the server's policies are active: the last policy in testdata rejects a
// request, and params are found.
func (w *world) settle() error {
	probes := []string{
		`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe", "namespace": "shop"}, "spec": {"containers": [{"name": "a", "image": "other.example.com/a"}]}}`,
		`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "probe", "namespace": "prod"}, "spec": {"replicas": 100, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}}}`,
		`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings-probe", "namespace": "shop"}}`,
	}
	developer, err := w.config("jane")
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(developer)
	if err != nil {
		return err
	}
	for _, probe := range probes {
		var u unstructured.Unstructured
		if err := json.Unmarshal([]byte(probe), &u.Object); err != nil {
			return err
		}
		r, err := resource(client, w, &u)
		if err != nil {
			return err
		}
		for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
			_, err := r.Create(context.Background(), &u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy") && !strings.Contains(err.Error(), "no params found") && !strings.Contains(err.Error(), "not yet synced") {
				break
			}
			if time.Since(began) > time.Minute {
				return &startError{"policies are not in force: " + probe}
			}
		}
	}
	return nil
}

// run runs the plugin as a user.
func (w *world) run(t *testing.T, user string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	all := append([]string{"--kubeconfig", w.kubeconfig(user), "--cache-dir", filepath.Join(w.dir, "cache-"+user)}, args...)
	code = command.Run(all, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}
