package generate

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// answer is the spec of a WebhookResponse; nil for a webhook without one.
func (g *hookGen) answer(which string, hook object) object {
	switch {
	case g.chance(0.05):
		return nil
	case g.chance(0.012): // too late: takes a second
		hook["timeoutSeconds"] = 1
		return object{"delaySeconds": 3}
	case g.chance(0.015): // later, which takes a second, or too late
		after := "1"
		if g.chance(0.5) {
			after, hook["timeoutSeconds"] = "60", 1
		}
		return object{"sequence": []any{object{"httpStatus": pickAny(g.gen, 429, 500, 503), "headers": object{"Retry-After": after}}, g.single(which)}}
	case g.chance(0.1):
		var list []any
		for range 2 + g.IntN(2) {
			list = append(list, g.single(which))
		}
		return object{"sequence": list}
	}
	return g.single(which)
}

// single is one answer, or one way to fail.
func (g *hookGen) single(which string) object {
	switch {
	case g.chance(0.08):
		return g.denial()
	case g.chance(0.13):
		return g.failure()
	}
	out := object{"allowed": true}
	g.remarks(which, out)
	patchChance := 0.75
	if which == "Validating" {
		patchChance = 0.02
	}
	if !g.chance(patchChance) {
		if g.chance(0.02) {
			out["patchType"] = "JSONPatch"
		}
		return out
	}
	out["patchType"], out["patch"] = "JSONPatch", g.patch()
	switch {
	case g.chance(0.02):
		delete(out, "patchType")
	case g.chance(0.02): // which is not base64
		out["patch"] = pick(g.gen, "***", "e30", "[]", "W10", "W10=x", "W1 0=")
	case g.chance(0.02):
		out["patchType"] = pick(g.gen, "MergePatch", "", "jsonpatch")
	}
	return out
}

// remarks are warnings and audit annotations.
func (g *hookGen) remarks(which string, out object) {
	if g.chance(0.25) {
		var warnings []any
		for range 1 + g.IntN(3) {
			warnings = append(warnings, pick(g.gen, "deprecated", "use v2", "", "with \"quotes\" and \\", "two\nlines", "tab\there", "ümläute "+strings.Repeat("ß", 10), strings.Repeat("a", 300)))
		}
		out["warnings"] = warnings
	}
	if (which == "Mutating" || !g.longWarnings) && g.chance(0.04) {
		g.longWarnings = g.longWarnings || which == "Validating"
		var warnings []any
		for i := range 8 + g.IntN(14) {
			warnings = append(warnings, strings.Repeat(string(rune('a'+i)), 100+g.IntN(700)))
		}
		out["warnings"] = warnings
	}
	if g.chance(0.2) {
		annotations := object{}
		for range 1 + g.IntN(3) {
			annotations[pick(g.gen, "key", "other", "a/b", "with space", "", "UPPER_case.x-1", strings.Repeat("k", 64), "-dash")] = pick(g.gen, "1", "2", "text with spaces", "")
		}
		out["auditAnnotations"] = annotations
	}
}

func (g *hookGen) denial() object {
	out := object{"allowed": false}
	g.remarks("Mutating", out)
	status := object{}
	if g.chance(0.7) {
		status["message"] = pick(g.gen, "no", "must have an owner", "ünïcödé\nline two")
	}
	if g.chance(0.4) {
		status["reason"] = pick(g.gen, "Forbidden", "Invalid", "OwnReason")
	}
	if g.chance(0.6) {
		status["code"] = pickAny(g.gen, 403, 422, 200, 399, 401, 500, 418, 0, -1)
	}
	if g.chance(0.2) {
		status["status"] = pick(g.gen, "Success", "Failure", "")
	}
	if g.chance(0.2) {
		status["details"] = object{"name": "x", "causes": []any{object{"message": "first"}, object{"reason": "FieldValueInvalid", "message": "second", "field": "spec"}}}
	}
	if g.chance(0.85) {
		out["status"] = status
	}
	if g.chance(0.05) { // a denial may come with a patch, which does not matter
		out["patchType"], out["patch"] = "JSONPatch", g.patch()
	}
	return out
}

// failure is one of the ways in which a call fails.
func (g *hookGen) failure() object {
	const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",`
	if g.chance(0.04) { // more than an object may have
		return object{"text": review + `"padding":"` + strings.Repeat("x", 3<<20+g.IntN(1<<20)) + pick(g.gen, `"}`, `","response":{"uid":"`+zeroUID+`","allowed":true}}`, "")}
	}
	switch g.IntN(9) {
	case 0, 1:
		return g.httpFailure()
	case 2:
		return object{"connectionRefused": true}
	case 3:
		return object{"allowed": true, "noResponse": true}
	case 4:
		return object{"allowed": true, "uid": pick(g.gen, "123", "")}
	case 5:
		return pickAny(g.gen, object{"allowed": true, "apiVersion": pick(g.gen, "admission.k8s.io/v1beta1", "admission.k8s.io/v2", "v1", "", "a/b/c", "admission.k8s.io/v1", "/v1", "admission.k8s.io/")},
			object{"allowed": true, "kind": pick(g.gen, "Other", "", "Status", "AdmissionReview")}, object{"allowed": true, "apiVersion": "v1", "kind": "Status"}).(object)
	case 6:
		return object{"text": pick(g.gen, "", "hello", "<html>busy</html>", "null", "[]", "12", `{"allowed":true}`, "{", `{"kind":1}`, `{"apiVersion":"a/b/c","kind":"X"}`)}
	case 7:
		return object{"body": pickAny(g.gen, "hello", "", "{\"kind\":", 12, []any{}, object{}, object{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"},
			object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "sorry"}, object{"response": object{"allowed": true}})}
	}
	return object{"text": pick(g.gen, review+`"response":{"uid":"`+zeroUID+`","allowed":"yes"}}`, review+`"response":{"uid":"`+zeroUID+`","Allowed":true}}`,
		review+`"response":{"allowed":true}}`, review+`"response":{"uid":"u","allowed":true,"allowed":false}}`, review+`"response":[]}`, review+`"response":null}`,
		review+`"response":{"uid":1,"allowed":true}}`, review+`"response":{"uid":"u","allowed":true,"patch":"***"}}`, review+`"unknown":1,"response":{"uid":"u","status":"no"}}`)}
}

// httpFailure is a status code with different bodies.
func (g *hookGen) httpFailure() object {
	out := object{"httpStatus": pickAny(g.gen, 404, 500, 503, 403, 429, 429, 400, 401, 405, 406, 409, 410, 413, 413, 415, 422, 502, 504, 507, 418, 300, 302, 304, 204, 201, 202, 203, 205, 206, 207, 226)}
	if g.chance(0.15) { // the client calls again, ten times when nothing changes
		out["headers"] = object{"Retry-After": pick(g.gen, "0", "0", "0", "-1", "soon", "", "1.5")}
	} else if g.chance(0.2) {
		out["headers"] = object{"Content-Type": pick(g.gen, "", "text/html", "application/json; charset=utf-8", "text/html; charset", "no type")}
	}
	switch g.IntN(6) {
	case 0:
		out["text"] = pick(g.gen, "", "not today\n", "404 page not found\n", "  padded  ", strings.Repeat("long ", 600))
	case 1:
		out["body"] = object{"kind": "Status", "apiVersion": "v1", "status": pick(g.gen, "Failure", "Success", ""), "message": pick(g.gen, "sorry", ""), "code": 503, "reason": "ServiceUnavailable"}
	case 2:
		out["body"] = pickAny(g.gen, object{"error": "no"}, "text", object{"kind": "Status"}, object{"kind": "Status", "status": "Failure", "message": "without version"}, object{"status": "Failure", "message": "without kind"},
			object{"apiVersion": "v2", "kind": "Status", "status": "Failure", "message": "other version"}, object{"apiVersion": "admission.k8s.io/v1", "kind": "Status", "status": "Failure", "message": "group"},
			object{"kind": "Status", "apiVersion": "v1", "Status": "Failure", "Message": "case"})
	default:
		out["allowed"] = true
	}
	return out
}

// patch is a list of operations, or what should be one.
func (g *hookGen) patch() any {
	if g.chance(0.05) {
		return pickAny(g.gen, []any{}, encoded("{"), encoded("null"), encoded("{}"), encoded(`[{"op":"add"}]`), encoded(`[1]`), encoded(`"x"`), encoded(""), encoded("[null]"))
	}
	var ops []any
	for range pick(g.gen, 1, 1, 1, 2, 3) {
		ops = append(ops, g.patchOperation())
	}
	if g.chance(0.2) {
		data, err := json.Marshal(ops)
		if err != nil {
			panic(err)
		}
		return encoded(string(data))
	}
	return ops
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func (g *hookGen) patchOperation() object {
	switch {
	case g.chance(0.55): // what webhooks do most
		return pickAny(g.gen,
			object{"op": "add", "path": "/metadata/labels", "value": object{"added": "yes", "app": "web"}},
			object{"op": "add", "path": "/metadata/labels", "value": object{"added": "yes", "app": pick(g.gen, "web", "api")}},
			object{"op": "add", "path": "/metadata/labels", "value": object{"forbidden": "yes"}},
			object{"op": "add", "path": "/metadata/annotations", "value": object{"hook": pick(g.gen, "1", "2")}},
			object{"op": "add", "path": "/metadata/finalizers", "value": []any{"example.com/hook"}},
			object{"op": "test", "path": "/kind", "value": g.kind.Kind},
			object{"op": "replace", "path": "/kind", "value": g.kind.Kind}, // changes nothing
		).(object)
	case g.chance(0.3): // what needs a label
		return pickAny(g.gen,
			object{"op": "add", "path": "/metadata/labels/added", "value": "yes"}, object{"op": "remove", "path": "/metadata/labels/added"},
			object{"op": "replace", "path": "/metadata/labels/app", "value": pick(g.gen, "web", "api", "new")},
			object{"op": "test", "path": "/metadata/labels/app", "value": "web"},
		).(object)
	case g.kind.podSpec != "" && g.chance(0.2): // amounts in other words
		memory := "/" + replaceDots(g.kind.podSpec) + "/containers/0/resources/limits"
		return object{"op": "add", "path": memory, "value": object{"cpu": pickAny(g.gen, "100m", "0.1", "2", 2, "2000m"), "memory": pickAny(g.gen, "64Mi", "67108864", "1Gi", "1024Mi", "1000M", 1e9)}}
	case g.chance(0.05): // an object that is of another kind then
		return pickAny(g.gen, object{"op": "remove", "path": "/kind"}, object{"op": "remove", "path": "/apiVersion"}, object{"op": "replace", "path": "/kind", "value": pick(g.gen, "Secret", "Other", "Pod", "")},
			object{"op": "replace", "path": "/apiVersion", "value": pick(g.gen, "v1", "apps/v1", "nosuch/v1", "multi.example.com/v2", "multi.example.com/v9", "autoscaling/v1", "autoscaling/v2", "", "a/b/c")}).(object)
	}
	path := g.pointer()
	if g.chance(0.06) {
		path = pick(g.gen, "", "metadata/labels/x", "/", "/metadata/labels/a~1b", "/apiVersion", "/metadata/managedFields", "/metadata/labels/-")
	}
	switch op := weighted(g.gen, map[string]int{"add": 45, "replace": 25, "remove": 10, "test": 8, "copy": 5, "move": 5, "bad": 1}); op {
	case "remove":
		return object{"op": op, "path": path}
	case "copy", "move":
		return object{"op": op, "path": path, "from": g.pointer()}
	case "bad":
		return object{"op": pick(g.gen, "bad", "", "ADD"), "path": path, "value": 1}
	default:
		if g.chance(0.02) {
			return object{"op": op, "path": path}
		}
		return object{"op": op, "path": path, "value": g.jsonValue()}
	}
}

func (g *hookGen) jsonValue() any {
	options := []any{"text", "text", "[]", "07", "web", 1, 2.5, true, nil, object{"a": "b"}, object{"app": "web"}, []any{"x", "y"}, []any{1, 2}, object{}, []any{},
		int64(9007199254740993), object{"name": "c", "image": "i"}, object{"name": "n", "nested": object{"deep": []any{1, object{"er": nil}}}},
		[]any{object{"name": "A", "value": "1"}}, object{"cpu": "100m"}, "Failure", 70000, "1Gi", -1, object{"port": 80, "protocol": "TCP"}}
	if g.kind.podSpec != "" {
		options = append(options, object{"name": "new", "image": "i", "bogus": 1}, []any{object{"name": "only", "image": "i", "ports": []any{object{"containerPort": 1}}}},
			object{"name": "p", "image": "i:latest", "ports": []any{object{"containerPort": "x"}}}, object{"name": "p", "resources": object{"limits": object{"cpu": 0.5, "memory": "1000Mi"}}})
	}
	return pickAny(g.gen, options...)
}
