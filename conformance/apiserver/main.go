// Command apiserver is a whole kube-apiserver with an etcd, both built from their own packages, on
// loopback. scripts/cluster-test starts it to test cluster clients.
//
//	apiserver DIR [FLAG...]
//
// creates keys, certificates and the data in DIR, which must be empty or missing, and writes there:
//
//	admin.kubeconfig   a member of system:masters
//	users.csv          tokens of the users that tests act as: token,name,uid,groups
//	ca.crt             the authority of the server's certificate
//	audit.log          every request, with what it was about but no bodies
//	address            host and port, written when the server is ready
//
// FLAGs are further kube-apiserver flags. It runs until it is interrupted. There is no controller
// manager: nothing creates a new namespace's service account, and nothing is garbage-collected.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: apiserver DIR [FLAG...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

// run starts etcd and the API server, with more flags, and waits until ctx ends.
func run(ctx context.Context, dir string, flags []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	storage, err := startEtcd(dir)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer storage.Close()
	address, err := freeAddress()
	if err != nil {
		return err
	}
	keys, err := writeKeys(dir, address)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	command := app.NewAPIServerCommand()
	command.SetArgs(append(arguments(dir, address, storage.Config().ListenClientUrls[0].String()), flags...))
	go func() { ended <- command.ExecuteContext(ctx) }()
	if err := ready(ctx, "https://"+address+"/readyz", keys, ended); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "address"), []byte(address), 0o600); err != nil {
		return err
	}
	fmt.Println("ready at", address)
	<-ctx.Done()
	return nil
}

// startEtcd starts an etcd that keeps its data in dir.
func startEtcd(dir string) (*embed.Etcd, error) {
	cfg := embed.NewConfig()
	cfg.Dir, cfg.LogLevel = filepath.Join(dir, "etcd"), "error"
	cfg.UnsafeNoFsync = true // the data is not needed after the tests
	var urls [2]url.URL
	for i := range urls {
		address, err := freeAddress()
		if err != nil {
			return nil, err
		}
		urls[i] = url.URL{Scheme: "http", Host: address}
	}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = urls[:1], urls[:1]
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = urls[1:], urls[1:]
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		return nil, err
	case <-time.After(time.Minute):
		etcd.Close()
		return nil, errors.New("not ready after a minute")
	}
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// arguments are the flags of kube-apiserver.
func arguments(dir, address, etcd string) []string {
	at := func(name string) string { return filepath.Join(dir, name) }
	host, port, _ := net.SplitHostPort(address)
	return []string{
		"--etcd-servers=" + etcd,
		"--bind-address=" + host, "--advertise-address=" + host, "--secure-port=" + port,
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--cert-dir=" + at("served"),
		"--tls-cert-file=" + at("server.crt"), "--tls-private-key-file=" + at("server.key"),
		"--client-ca-file=" + at("ca.crt"), "--token-auth-file=" + at("users.csv"),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://" + address,
		"--service-account-key-file=" + at("accounts.key"), "--service-account-signing-key-file=" + at("accounts.key"),
		"--audit-policy-file=" + at("audit-policy.yaml"), "--audit-log-path=" + at("audit.log"),
		"--allow-privileged=true", // as in every cluster
		"--profiling=false", "--v=0",
	}
}

// ready waits until the server is ready.
func ready(ctx context.Context, address string, client *http.Client, ended <-chan error) error {
	limit := time.After(2 * time.Minute)
	for {
		if response, err := client.Get(address); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the server ended: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			return errors.New("the server was not ready after two minutes")
		case <-time.After(200 * time.Millisecond):
		}
	}
}
