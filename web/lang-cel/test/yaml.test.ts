import { test } from "node:test";
import assert from "node:assert/strict";
import { EditorState, type Extension } from "@codemirror/state";
import { ensureSyntaxTree, foldable, getIndentation, syntaxTree } from "@codemirror/language";
import { NodeProp, Tree, TreeFragment, IterMode } from "@lezer/common";
import { cel } from "../src/cel.js";
import { yamlWithCel, yamlWithCelLanguage } from "../src/yaml.js";

/** The nested parses of a tree: the text each of them read, and its tree. */
function mounts(tree: Tree, text: string): { read: string; tree: Tree }[] {
  const found: { read: string; tree: Tree }[] = [];
  tree.iterate({
    mode: IterMode.IgnoreMounts,
    enter: (node) => {
      const mount = node.tree?.prop(NodeProp.mounted);
      if (!mount) return;
      const ranges = mount.overlay as readonly { from: number; to: number }[];
      found.push({
        read: ranges.map((r) => text.slice(node.from + r.from, node.from + r.to)).join(""),
        tree: mount.tree,
      });
    },
  });
  return found;
}

/** The CEL in a tree, line breaks shown as ⏎. */
const nested = (tree: Tree, text: string) => mounts(tree, text).map(({ read }) => read.replace(/\n/g, "⏎"));

const parse = (text: string) => yamlWithCelLanguage.parser.parse(text);

/**
 * A state whose whole text is parsed, however long that takes: by itself the
 * editor parses for 20 milliseconds, and goes on later.
 */
function parsed(doc: string, extensions: Extension): EditorState {
  const state = EditorState.create({ doc, extensions });
  assert.ok(ensureSyntaxTree(state, doc.length, Infinity));
  return state.update({}).state; // what is read of a state is the tree that it began with
}
const celIn = (text: string) => nested(parse(text), text);

/** A ValidatingAdmissionPolicy with the one validation `field`. */
const policy = (field: string) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
spec:
  validations:
  - ${field}
    message: no
`;

const scalars: [name: string, field: string, want: string[]][] = [
  ["plain", "expression: object.a == 1", ["object.a == 1"]],
  ["plain with a comment", "expression: object.a # why", ["object.a"]],
  ["plain over lines", "expression: object.a &&\n      object.b", ["object.a &&⏎object.b"]],
  ["single-quoted", "expression: 'object.a == ''x'''", ["object.a == 'x'"]],
  ["single-quoted over lines", "expression: 'a &&\n\n      b'", ["a &&⏎⏎b"]],
  ["double-quoted", `expression: "object.a == \\"x\\\\n\\""`, [`object.a == "x\\n"`]],
  ["double-quoted over lines", `expression: "a &&\n      b"`, ["a &&⏎b"]],
  ["double-quoted with a line break escaped", `expression: "a\\\n      .b"`, ["a.b"]],
  ["double-quoted with an escape that has no character here", `expression: "a \\u0026\\u0026 b"`, ["a  b"]],
  ["literal", "expression: |\n      a &&\n        b", ["a &&⏎  b⏎"]],
  ["literal, stripped, with a blank line", "expression: |-\n      a &&\n\n      b", ["a &&⏎⏎b⏎"]],
  ["literal with an indentation indicator", "expression: |2\n      a", ["a⏎"]],
  ["literal with a comment on its header", "expression: | # why\n      a", ["a⏎"]],
  ["folded", "expression: >-\n      a &&\n      b", ["a &&⏎b⏎"]],
  ["folded, kept", "expression: >+\n      a\n", ["a⏎⏎"]],
  ["tagged and anchored", "expression: !!str &e 'a'", ["a"]],
  ["a quoted key", `"expression": a`, ["a"]],
  ["a key without a value", "expression:", []],
  ["an empty string", "expression: ''", []],
  ["messageExpression", "messageExpression: \"'no ' + object.a\"", ["'no ' + object.a"]],
  ["message", "message: object.a", []],
];
for (const [name, field, want] of scalars) {
  test(`scalar: ${name}`, () => {
    // Block scalars end where the next key begins; the line break before it is
    // theirs only where the header keeps it, which does not matter to CEL.
    const trim = (s: string) => s.replace(/⏎+$/, "");
    assert.deepEqual(celIn(policy(field)).map(trim), want.map(trim));
  });
}

const places: [name: string, text: string, want: string[]][] = [
  [
    "every place of a validating policy",
    `kind: ValidatingAdmissionPolicy
spec:
  matchConditions: [{name: n, expression: a1}]
  variables: [{name: n, expression: a2}]
  validations: [{expression: a3, messageExpression: a4}]
  auditAnnotations: [{key: k, valueExpression: a5}]
`,
    ["a1", "a2", "a3", "a4", "a5"],
  ],
  [
    "every place of a mutating policy",
    `kind: MutatingAdmissionPolicy
apiVersion: admissionregistration.k8s.io/v1beta1
spec:
  matchConditions:
  - expression: a1
  variables:
  - expression: a2
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: a3
  - jsonPatch:
      expression: a4
  validations:
  - expression: not here
`,
    ["a1", "a2", "a3", "a4"],
  ],
  [
    "webhooks",
    `kind: MutatingWebhookConfiguration
webhooks:
- name: w
  matchConditions:
  - {name: n, expression: a}
  expression: not here
---
kind: ValidatingWebhookConfiguration
webhooks: [{matchConditions: [{expression: b}]}]
`,
    ["a", "b"],
  ],
  [
    "rules of a custom resource",
    `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - schema:
      openAPIV3Schema:
        x-kubernetes-validations:
        - rule: self.a
          messageExpression: self.b
          message: no
        properties:
          spec:
            x-kubernetes-validations: [{rule: self.c}]
            rule: no
`,
    ["self.a", "self.b", "self.c"],
  ],
  [
    "another kind with the same field names",
    `kind: ConfigMap
spec:
  validations:
  - expression: a
`,
    [],
  ],
  [
    "a kind of the same name in another group",
    `apiVersion: example.com/v1
kind: ValidatingAdmissionPolicy
spec: {validations: [{expression: a}]}
`,
    [],
  ],
  [
    "another depth",
    `kind: ValidatingAdmissionPolicy
metadata:
  annotations:
    expression: a
spec:
  expression: b
  validations:
    expression: c
`,
    [],
  ],
  [
    "each document by its own kind",
    `kind: ConfigMap
data: {expression: a}
---
spec: {validations: [{expression: b}]}
kind: ValidatingAdmissionPolicy
`,
    ["b"],
  ],
  [
    "a list of objects",
    `kind: List
items:
- kind: ValidatingAdmissionPolicy
  spec: {validations: [{expression: a}]}
- kind: ConfigMap
  spec: {validations: [{expression: b}]}
`,
    ["a"],
  ],
  [
    "schema rules without a definition",
    `schema:
  properties:
    a: {x-kubernetes-validations: [{rule: self > 1, message: no}]}
  x-kubernetes-validations: [{rule: self.a > 1, messageExpression: "'x'"}]
self: {rule: a}
`,
    ["self > 1", "self.a > 1", "'x'"],
  ],
  [
    "items that are no list of objects",
    `kind: Other
items:
- kind: ValidatingAdmissionPolicy
  spec: {validations: [{expression: a}]}
`,
    [],
  ],
  [
    "JSON",
    `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
 "spec": {"validations": [{"expression": "object.a == \\"x\\""}]}}`,
    [`object.a == "x"`],
  ],
];
for (const [name, text, want] of places) {
  test(`place: ${name}`, () => assert.deepEqual(celIn(text), want));
}

test("a string may run over the lines of a folded scalar, not of a literal one", () => {
  const errors = (header: string) => {
    const text = policy(`expression: ${header}\n      x == 'a\n      b'`);
    const [mount] = mounts(parse(text), text);
    let count = 0;
    mount?.tree.iterate({
      enter: (node) => {
        if (node.type.isError) count++;
      },
    });
    return count;
  };
  assert.equal(errors(">"), 0);
  assert.notEqual(errors("|"), 0);
});

test("CEL comes and goes with the kind of its document, far from the edit", () => {
  const filler = Array.from({ length: 400 }, (_, i) => `    label-${i}: value\n`).join("");
  const text = `kind: ConfigMap
metadata:
  labels:
${filler}spec:
  validations:
  - expression: object.a
`;
  const edit = (before: string, tree: Tree, from: string, to: string): [string, Tree] => {
    const at = before.indexOf(from),
      after = before.replace(from, to);
    const fragments = TreeFragment.applyChanges(TreeFragment.addTree(tree), [
      { fromA: at, toA: at + from.length, fromB: at, toB: at + to.length },
    ]);
    return [after, yamlWithCelLanguage.parser.parse(after, fragments)];
  };
  const [asPolicy, policyTree] = edit(text, parse(text), "ConfigMap", "ValidatingAdmissionPolicy");
  assert.deepEqual(nested(policyTree, asPolicy), ["object.a"]);
  const [asMap, mapTree] = edit(asPolicy, policyTree, "ValidatingAdmissionPolicy", "ConfigMap");
  assert.deepEqual(nested(mapTree, asMap), []);
});

test("an edit inside an expression is parsed incrementally and right", () => {
  const text = policy("expression: object.spec.replicas > 1");
  let state = parsed(text, yamlWithCel());
  const at = text.indexOf("> 1");
  state = state.update({ changes: { from: at, to: at + 3, insert: "in [1, 2]" } }).state;
  const tree = ensureSyntaxTree(state, state.doc.length, Infinity)!;
  assert.equal(tree.resolveInner(at + 1, 1).name, "in");
});

test("language data, folding and indentation of the nested CEL", () => {
  const text = policy("expression: |\n      object.items.all(i,\n        i > 1\n      )");
  const state = parsed(text, yamlWithCel());
  const inCel = text.indexOf("object"),
    inYaml = text.indexOf("spec");
  assert.deepEqual(state.languageDataAt("commentTokens", inCel + 2), [{ line: "//" }]);
  assert.deepEqual(state.languageDataAt("commentTokens", inYaml), [{ line: "#" }]);
  const line = state.doc.lineAt(inCel);
  assert.deepEqual(foldable(state, line.from, line.to), { from: text.indexOf("i,"), to: text.indexOf(")") });
});

test("CEL by itself: folding, indentation, comments", () => {
  const text = "Object{\nspec: [\n1,\n2\n]\n}";
  const state = parsed(text, cel());
  const indents = Array.from({ length: state.doc.lines }, (_, i) => getIndentation(state, state.doc.line(i + 1).from));
  assert.deepEqual(indents, [0, 2, 2, 2, 0, 0]);
  assert.deepEqual(foldable(state, 0, 7), { from: 7, to: text.length - 1 });
  assert.equal(syntaxTree(state).length, text.length);
});
