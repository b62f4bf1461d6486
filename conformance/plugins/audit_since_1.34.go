//go:build !until1.33

package main

import (
	"context"

	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
)

// audited returns a context that keeps audit annotations.
func audited(ctx context.Context) (context.Context, error) {
	ctx = audit.WithAuditContext(ctx)
	return ctx, audit.AuditContextFrom(ctx).Init(audit.RequestAuditConfig{Level: auditinternal.LevelMetadata}, nil)
}

// annotations are the audit annotations that ctx has kept.
func annotations(ctx context.Context) map[string]string {
	return audit.AuditContextFrom(ctx).GetEventAnnotations()
}
