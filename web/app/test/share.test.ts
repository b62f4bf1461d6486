// The hint about secrets and the Markdown form.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { markdown } from "../files.ts";
import type { Secrets } from "../protocol.ts";
import { found, secretIn } from "../secrets.ts";

test("secrets are noticed", () => {
  const key = ["-----BEGIN RSA", "PRIVATE KEY-----"].join(" ");
  for (const text of [key, "kind: Secret\n", "password: hunter22", `token: ghp_${"a".repeat(36)}`]) {
    assert.notEqual(secretIn({ cluster: text }), undefined, text);
  }
});

test("Secrets are noticed in every form in which they come", () => {
  for (const text of [
    '{"apiVersion":"v1","kind":"Secret","data":{}}',
    '{\n  "kind" : "Secret"\n}',
    "{apiVersion: v1, kind: Secret, data: {a: b}}",
    "kind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n",
    "items:\n- kind: Secret\n  apiVersion: v1\n",
    "kind: 'Secret' # of the shop\n",
    '{"kind":"AdmissionReview","request":{"kind":{"group":"","version":"v1","kind":"Secret"}}}',
    "type: kubernetes.io/service-account-token\n",
    "resource: {resource: secrets}\npatch:\n- {op: add, path: /data/password, value: aGVsbG8=}\n",
    '[{"op":"replace","path":"/stringData/a","value":"b"}]\n---\nresources: [secrets]\n',
  ])
    assert.notEqual(secretIn({ request: text }), undefined, text);
});

test("the first look sees something wherever the engine finds values", async () => {
  const file = "../engine/edit/secrets/testdata/texts.json";
  const { secret } = JSON.parse(await readFile(file, "utf8")) as { secret: { name: string; text: string }[] };
  assert.ok(secret.length > 20);
  for (const { name, text } of secret) assert.notEqual(secretIn({ cluster: text }), undefined, name);
});

test("what the engine has found is said with its place", () => {
  const value = { what: "a value of Secret db", text: "request", line: 5 } as const;
  const reply = (...list: Secrets["found"]): Secrets => ({ found: list, unread: [], scenario: {} });
  assert.equal(found(reply()), "");
  assert.equal(found(reply(value)), "Look before you send: a value of Secret db is in the request, line 5.");
  assert.match(found(reply(value, value)), /line 5, and 1 more\.$/);
  assert.match(found(reply(value, value, value)), /, and 2 more\.$/);
});

test("the credentials of a kubeconfig are noticed, files and commands are not", () => {
  const head = "apiVersion: v1\nkind: Config\n";
  for (const text of [
    `${head}users:\n- name: a\n  user:\n    client-key-data: LS0tLS1CRUdJTiBSU0E=\n`,
    "users:\n- name: a\n  user:\n    client-key-data: 'LS0t'\n",
    `${head}users:\n- name: a\n  user: {token: abc}\n`,
    "users:\n- name: a\n  user:\n    token: abc\nkind: Config\napiVersion: v1\n",
    `${head}users:\n- name: a\n  user:\n    username: a\n    password: b\n`,
    `${head}users:\n- name: a\n  user:\n    auth-provider:\n      config:\n        id-token: abc\n`,
    '{"kind":"Config","users":[{"name":"a","user":{"token":"abc"}}]}',
    "headers:\n  Authorization: Bearer abcdef0123\n",
  ])
    assert.notEqual(secretIn({ policies: text }), undefined, text);
  for (const text of [
    `${head}users:\n- name: a\n  user:\n    client-key: /etc/key.pem\n    tokenFile: /var/token\n`,
    `${head}users:\n- name: a\n  user:\n    exec: {command: get-token, apiVersion: client.authentication.k8s.io/v1}\n`,
    `${head}clusters:\n- name: a\n  cluster: {server: https://a.example.com, certificate-authority-data: LS0t}\n`,
    "kind: ConfigMap\ndata: {token: abc}\n",
  ])
    assert.equal(secretIn({ policies: text }), undefined, text);
});

test("ordinary policies are not", () => {
  for (const text of [
    "kind: SecretProviderClass",
    "resources: [secrets]",
    "secretName: tls",
    "password: {}",
    "kind: SecretList",
    "mykind: Secret",
    "path: /data/a",
  ]) {
    assert.equal(secretIn({ policies: text }), undefined, text);
  }
});

test("a text with backticks stays one block", () => {
  const text = markdown({ title: "T", request: "a: |\n  ```\n  x\n  ```" }, "https://example.com/#1/abc");
  assert.match(text, /````yaml\na: \|\n {2}```\n {2}x\n {2}```\n````/);
});

test("a link that would be cut is left out", () => {
  assert.doesNotMatch(markdown({ request: "a: 1" }, `https://example.com/#1/${"x".repeat(5000)}`), /Open in/);
});
