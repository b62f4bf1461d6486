package served

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A program is the preadmit command, and the certificate that its servers use.
type program struct {
	binary           string
	certificate, key string // files
	authority        []byte // PEM, for the webhook configurations
}

// build builds the command from the module's folder into dir.
func build(ctx context.Context, module, dir string) (*program, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	p := &program{binary: filepath.Join(dir, "preadmit"), certificate: filepath.Join(dir, "serving.crt"), key: filepath.Join(dir, "serving.key")}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", p.binary, "./cmd/preadmit")
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building preadmit: %w\n%s", err, out)
	}
	return p, p.certify()
}

// certify makes a certificate for the loopback address, which is its own authority.
func (p *program) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "preadmit serve"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	p.authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return errors.Join(os.WriteFile(p.certificate, p.authority, 0o600),
		os.WriteFile(p.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
}

// A server is one running `preadmit serve`.
type server struct {
	address string // host and port
	command *exec.Cmd
	said    *bytes.Buffer // on its standard error, after the address
	read    chan struct{} // closed when its standard error is
}

// errRefused is a server that did not start because of its policies.
var errRefused = errors.New("preadmit serve refuses the policies")

// serve starts the command with the files of a folder, and waits until it says
// where it answers.
func (p *program) serve(ctx context.Context, folder, kubernetes string) (*server, error) {
	cmd := exec.CommandContext(ctx, p.binary, "serve", folder, "-addr", "127.0.0.1:0", "-tls-cert", p.certificate, "-tls-key", p.key, "-kubernetes", kubernetes)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{command: cmd, said: &bytes.Buffer{}, read: make(chan struct{})}
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "answering on https://"); ok {
			s.address, _, _ = strings.Cut(rest, "/")
			break
		}
		fmt.Fprintln(s.said, lines.Text())
	}
	if s.address == "" {
		err := cmd.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 2 {
			return nil, fmt.Errorf("%w: %s", errRefused, s.said)
		}
		return nil, fmt.Errorf("preadmit serve ended: %w\n%s", err, s.said)
	}
	go func() {
		defer close(s.read)
		for lines.Scan() {
			fmt.Fprintln(s.said, lines.Text())
		}
	}()
	return s, nil
}

// stop ends the server as a kubelet does. An error is a server that did not end
// well.
func (s *server) stop() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-s.read
	if err := s.command.Wait(); err != nil {
		return fmt.Errorf("preadmit serve: %w\n%s", err, s.said)
	}
	return nil
}
