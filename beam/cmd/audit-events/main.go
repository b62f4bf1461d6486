// Command audit-events writes synthetic API server audit logs, in compressed shards, for measuring
// the pipeline. The same arguments create the same events.
//
//	audit-events -n 5000000 -shards 50 -o FOLDER
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"
)

func main() {
	n := flag.Int("n", 1_000_000, "how many events, in all shards together")
	shards := flag.Int("shards", 10, "how many files")
	folder := flag.String("o", ".", "the folder that they are written to")
	flag.Parse()
	if err := write(*folder, *n, *shards); err != nil {
		fmt.Fprintln(os.Stderr, "audit-events:", err)
		os.Exit(1)
	}
}

func write(folder string, n, shards int) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for shard := range shards {
		group.Go(func() error {
			own := n / shards
			if shard < n%shards {
				own++
			}
			return writeShard(filepath.Join(folder, fmt.Sprintf("audit-%04d.json.zst", shard)), uint64(shard), own)
		})
	}
	return group.Wait()
}

func writeShard(name string, shard uint64, n int) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(z, 1<<16)
	r := rand.New(rand.NewPCG(shard, 1))
	for i := range n {
		if _, err := w.WriteString(event(r, shard, i)); err != nil {
			return err
		}
	}
	for _, end := range []func() error{w.Flush, z.Close, f.Close} {
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

// event is one line. As in a busy cluster, half of all requests are reads, which admission does not
// see, and most writes are renewed Leases and small objects. One write in ten is a Pod or a
// Deployment.
func event(r *rand.Rand, shard uint64, i int) string {
	namespace := fmt.Sprintf("team-%02d", r.IntN(40))
	if r.IntN(10) == 0 {
		namespace = "kube-system"
	}
	user, name := fmt.Sprintf("user-%d@example.com", r.IntN(200)), fmt.Sprintf("app-%d-%d", shard, i)
	head := fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"%016x","stage":"ResponseComplete","user":{"username":%q,"groups":["system:authenticated"]},`, r.Uint64(), user)
	if r.IntN(2) == 0 {
		return head + fmt.Sprintf(`"verb":"get","objectRef":{"resource":"pods","namespace":%q,"name":%q,"apiVersion":"v1"}}`+"\n", namespace, name)
	}
	ref := func(verb, group, resource string) string {
		return fmt.Sprintf(`"verb":%q,"requestURI":"/apis","objectRef":{"resource":%q,"namespace":%q,"name":%q,%s"apiVersion":"v1"},`, verb, resource, namespace, name, group)
	}
	labels := fmt.Sprintf(`{"app":%q}`, name)
	if r.IntN(3) > 0 {
		labels = fmt.Sprintf(`{"app":%q,"team":"t%d"}`, name, r.IntN(9))
	}
	metadata := fmt.Sprintf(`"metadata":{"name":%q,"namespace":%q,"labels":%s}`, name, namespace, labels)
	switch kind := r.IntN(10); {
	case kind < 5:
		return head + ref("update", `"apiGroup":"coordination.k8s.io",`, "leases") + fmt.Sprintf(`"requestObject":{"apiVersion":"coordination.k8s.io/v1","kind":"Lease",%s,"spec":{"holderIdentity":"node-%d","leaseDurationSeconds":40,"renewTime":"2026-11-01T10:%02d:%02d.000000Z"}}}`+"\n", metadata, r.IntN(500), r.IntN(60), r.IntN(60))
	case kind < 9:
		return head + ref("create", "", "configmaps") + fmt.Sprintf(`"requestObject":{"apiVersion":"v1","kind":"ConfigMap",%s,"data":{"a":"%d"}}}`+"\n", metadata, r.IntN(1000))
	}
	containers := ""
	for c := range 1 + r.IntN(3) {
		if c > 0 {
			containers += ","
		}
		registry := []string{"registry.example.com", "docker.io"}[r.IntN(8)/7]
		containers += fmt.Sprintf(`{"name":"c%d","image":"%s/app:%d","resources":{"limits":{"memory":"%dMi"}}}`, c, registry, r.IntN(50), 64<<r.IntN(5))
	}
	if r.IntN(2) == 0 {
		return head + ref("create", `"apiGroup":"apps",`, "deployments") + fmt.Sprintf(`"requestObject":{"apiVersion":"apps/v1","kind":"Deployment",%s,"spec":{"replicas":%d,"selector":{"matchLabels":{"app":%q}},"template":{"metadata":{"labels":%s},"spec":{"containers":[%s]}}}}}`+"\n", metadata, r.IntN(12), name, labels, containers)
	}
	return head + ref("create", "", "pods") + fmt.Sprintf(`"requestObject":{"apiVersion":"v1","kind":"Pod",%s,"spec":{"containers":[%s]}}}`+"\n", metadata, containers)
}
