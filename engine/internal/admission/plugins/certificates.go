package plugins

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// clientSigner signs certificates with which users authenticate to the server.
const clientSigner = "kubernetes.io/kube-apiserver-client"

// certificateApproval lets only those approve a certificate who may approve for
// its signer.
var certificateApproval = plugin{
	name:         "CertificateApproval",
	operations:   []string{"UPDATE"},
	validates:    []schema.GroupResource{certificates},
	subresources: []string{"approval"},
	validate: func(r *request) error {
		if r.Attributes.SubResource != "approval" {
			return r.nothing("nothing is approved")
		}
		signer := text(r.oldSpec(), "signerName")
		if !r.maySign("approve", signer) {
			return fmt.Errorf("user not permitted to approve requests with signerName %q", signer)
		}
		r.reason = fmt.Sprintf("the user may approve for the signer %s", signer)
		return nil
	},
}

// certificateSigning lets only those write a certificate who may sign for its
// signer.
var certificateSigning = plugin{
	name:         "CertificateSigning",
	operations:   []string{"UPDATE"},
	validates:    []schema.GroupResource{certificates},
	subresources: []string{"status"},
	validate: func(r *request) error {
		status, old := untyped.Sub(r.object, "status"), untyped.Sub(r.Attributes.OldObject, "status")
		if r.Attributes.SubResource != "status" || reflect.DeepEqual(status["certificate"], old["certificate"]) && reflect.DeepEqual(status["conditions"], old["conditions"]) {
			return r.nothing("nothing is signed")
		}
		signer := text(r.oldSpec(), "signerName")
		if !r.maySign("sign", signer) {
			return fmt.Errorf("user not permitted to sign requests with signerName %q", signer)
		}
		r.reason = fmt.Sprintf("the user may sign for the signer %s", signer)
		return nil
	},
}

// maySign asks the authorizer for a signer, and then for all of its domain.
func (r *request) maySign(verb, signer string) bool {
	domain, _, _ := strings.Cut(signer, "/")
	for _, name := range []string{signer, domain + "/*"} {
		if ok, _, _ := r.may(authorizer.AttributesRecord{Verb: verb, Name: name, APIGroup: "certificates.k8s.io", APIVersion: "*", Resource: "signers"}); ok {
			return true
		}
	}
	return false
}

// certificateSubject keeps clients from asking for certificates of the group
// that may do everything.
var certificateSubject = plugin{
	name:       "CertificateSubjectRestriction",
	operations: []string{"CREATE"},
	validates:  []schema.GroupResource{certificates},
	validate: func(r *request) error {
		if text(r.spec(), "signerName") != clientSigner {
			return r.nothing("only the signer " + clientSigner + " is restricted")
		}
		asked, err := parseRequest(text(r.spec(), "request"))
		if err != nil {
			return fmt.Errorf("failed to parse CSR: %w", err)
		}
		if slices.Contains(asked.Subject.Organization, "system:masters") {
			return fmt.Errorf("use of %s signer with system:masters group is not allowed", clientSigner)
		}
		r.reason = "the certificate is not for the group system:masters"
		return nil
	},
}

// parseRequest reads a certificate request from the base64 text of a field.
func parseRequest(encoded string) (*x509.CertificateRequest, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	return x509.ParseCertificateRequest(block.Bytes)
}
