import assert from "node:assert/strict";
import { test } from "node:test";

import { Text } from "@codemirror/state";

import { serverParts } from "../server-fields.ts";

const YAML = `apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    team: blue
    kubectl.kubernetes.io/last-applied-configuration: |
      {"status":1}
  creationTimestamp: "2026-01-02T03:04:05Z"
  generation: 1
  managedFields:
  - apiVersion: apps/v1
    fieldsV1:
      f:metadata: {}
  name: web
  ownerReferences:
  - apiVersion: v1
    uid: b
  resourceVersion: "4711"
  uid: a
spec:
  template:
    metadata:
      creationTimestamp: null
status:
  replicas: 2

  conditions:
  - type: Available
`;

/** What is folded, and what the text is without that. */
function folded(text: string): { fields: string[]; rest: string } {
  const parts = serverParts(Text.of(text.split("\n")));
  let rest = "";
  let at = 0;
  for (const { from, to } of parts) {
    rest += `${text.slice(at, from)}…`;
    at = to;
  }
  return { fields: parts.map((p) => p.fields.join("+")), rest: rest + text.slice(at) };
}

const REST = `apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    team: blue
    kubectl.kubernetes.io/last-applied-configuration: |…
  managedFields:…
  name: web
  ownerReferences:
  - apiVersion: v1
    uid: b
…
spec:
  template:
    metadata:
      creationTimestamp: null
status:…
`;

const FIELDS = [
  "kubectl.kubernetes.io/last-applied-configuration+creationTimestamp+generation",
  "managedFields",
  "resourceVersion+uid",
  "status",
];

test("what a server added to an object is found", () => {
  assert.deepEqual(folded(YAML), { fields: FIELDS, rest: REST });
});

test("of each of several documents, and of the items of a List", () => {
  const two = folded(`${YAML}---\n${YAML}`);
  assert.deepEqual(two, { fields: [...FIELDS, ...FIELDS], rest: `${REST}---\n${REST}` });
  const items = YAML.trimEnd()
    .replace(/^(?=.)/gm, "  ")
    .replace("  ", "- ");
  const list = folded(`apiVersion: v1\nitems:\n${items}\n${items}\nkind: List\nmetadata:\n  resourceVersion: ""\n`);
  assert.deepEqual(list.fields, [...FIELDS, ...FIELDS]);
  assert.match(list.rest, /kind: List\nmetadata:\n {2}resourceVersion: ""\n$/);
});

test("in JSON of several lines", () => {
  const object = {
    kind: "Pod",
    metadata: { managedFields: [{ manager: "kubectl" }], name: "web", resourceVersion: "1", uid: "a" },
    spec: { containers: [] },
    status: { phase: "Running" },
  };
  const { fields, rest } = folded(JSON.stringify(object, undefined, 4));
  assert.deepEqual(fields, ["managedFields", "resourceVersion+uid", "status"]);
  assert.match(rest, /"managedFields": \[…\n {8}"name": "web",\n…\n {4}\},/);
  assert.match(rest, /"status": \{…\n\}$/);
});

test("an object that no server wrote stays as it is", () => {
  const own = "kind: Pod\nmetadata:\n  name: web\n  uid: a\n  labels:\n    a: b\nstatus:\n  phase: Running\n";
  assert.deepEqual(folded(own).fields, []);
  assert.deepEqual(folded("metadata: {uid: a, resourceVersion: '1'}\nstatus:\n  a: b\n").fields, []);
  assert.deepEqual(folded("").fields, []);
});
