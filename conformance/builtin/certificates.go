package builtin

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
)

// certificates are values of a certificate request's field spec.request. The key is fixed, so that
// a seed always generates the same scenario.
var certificates = []string{
	asked("system:node:n1", "system:nodes"), asked("system:node:n2", "system:nodes"), asked("admin", "system:masters"), asked("jane", "developers", "system:masters"), asked("jane"),
	"bm90IHBlbQ==", // not PEM
	base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})),
}

func asked(name string, groups ...string) string {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name, Organization: groups}}, key)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}
