package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// users are the tests' users, with their groups. Tests create their permissions.
var users = []struct{ name, groups string }{
	{"admin", "system:masters"},
	{"reader", "readers"},
	{"jane", "developers"},
	{"nobody", ""},
	{"preadmit", "preadmit"},
}

// auditPolicy records who asked for what, without bodies.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`

// writeKeys writes certificates, tokens and other startup files, and returns an administrator's
// client.
func writeKeys(dir, address string) (*http.Client, error) {
	authority, err := newAuthority()
	if err != nil {
		return nil, err
	}
	serving, servingKey, err := authority.issue()
	if err != nil {
		return nil, err
	}
	_, accounts, err := newKey()
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		"ca.crt": string(authority.pem), "server.crt": string(serving), "server.key": string(servingKey),
		"accounts.key": string(accounts), "audit-policy.yaml": auditPolicy,
	}
	var table strings.Builder
	var admin string
	for i, u := range users {
		secret := make([]byte, 16)
		if _, err := rand.Read(secret); err != nil {
			return nil, err
		}
		token := hex.EncodeToString(secret)
		if u.name == "admin" {
			admin = token
		}
		fmt.Fprintf(&table, "%s,%s,%d,%q\n", token, u.name, i+1, u.groups)
		files[u.name+".kubeconfig"] = kubeconfig(address, u.name, token, authority.pem)
	}
	files["users.csv"] = table.String()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority.pem)
	return &http.Client{Transport: bearer{admin, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}, Timeout: 5 * time.Second}, nil
}

// bearer adds a token to every request.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// kubeconfig is one user's file.
func kubeconfig(address, user, token string, authority []byte) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
clusters:
- name: test
  cluster: {server: "https://%s", certificate-authority-data: %s}
users:
- name: %s
  user: {token: %s}
contexts:
- name: test
  context: {cluster: test, user: %s}
`, address, base64.StdEncoding.EncodeToString(authority), user, token, user)
}

// authority signs the server's certificate.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(key) // PKCS #8 is not accepted for service accounts
	return key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), err
}

// lifetime of all certificates; tests end sooner
const lifetime = 24 * time.Hour

func newAuthority() (*authority, error) {
	key, _, err := newKey()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of tests"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{certificate, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, err
}

// issue creates a certificate for loopback, and its key.
func (a *authority) issue() (certificate, key []byte, err error) {
	private, key, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kube-apiserver"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)}, DNSNames: []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &private.PublicKey, a.key)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key, err
}
