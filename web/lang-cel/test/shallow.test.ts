import { test } from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { ensureSyntaxTree } from "@codemirror/language";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import type { Tree } from "@lezer/common";
import { cel, celLanguage } from "../src/cel.js";
import { DEEPEST, depthOf } from "../src/shallow.js";
import { yamlWithCel, yamlWithCelLanguage } from "../src/yaml.js";

/** The levels of a tree as they are walked. */
function walked(tree: Tree): number {
  let [most, depth] = [0, 0];
  tree.iterate({
    enter: () => {
      most = Math.max(most, ++depth);
    },
    leave: () => {
      depth--;
    },
  });
  return most;
}

const yaml: Record<string, (n: number) => string> = {
  "open brackets": (n) => `a: ${"[".repeat(n)}\n`,
  brackets: (n) => `a: ${"[".repeat(n)}${"]".repeat(n)}\n`,
  "open braces": (n) => "{a: ".repeat(n),
  JSON: (n) => '{"a":'.repeat(n) + "1" + "}".repeat(n),
  "items of items": (n) => `${"- ".repeat(n)}a\n`,
  "keys of keys": (n) => "? ".repeat(n) + "a\n",
  indentation: (n) => Array.from({ length: n }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
  "CEL in a policy": (n) =>
    `apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nspec:\n  validations:\n  - expression: ${"(".repeat(n)}1${")".repeat(n)}\n`,
};

const expressions: Record<string, (n: number) => string> = {
  parentheses: (n) => "(".repeat(n) + "1" + ")".repeat(n),
  terms: (n) => "1 + ".repeat(n) + "1",
  selections: (n) => "object" + ".a".repeat(n),
  negations: (n) => "!".repeat(n) + "a",
  conditions: (n) => "true ? true : ".repeat(n) + "true",
  calls: (n) => "f(".repeat(n),
};

for (const [language, texts] of [
  [yamlWithCelLanguage, yaml],
  [celLanguage, expressions],
] as const) {
  for (const [name, text] of Object.entries(texts)) {
    test(`${name}: the tree is as deep as it is walked, and too deep a one is flat`, () => {
      for (const n of [1, 10, 100, 700, 3_000]) {
        const tree = language.parser.parse(text(n));
        assert.equal(tree.length, text(n).length);
        // What is mounted counts even where the walk goes around it.
        assert.ok(name.startsWith("CEL") ? depthOf(tree) >= walked(tree) : depthOf(tree) === walked(tree));
        assert.ok(depthOf(tree) <= DEEPEST, `${n}: ${depthOf(tree)} levels`);
        if (n <= 100) assert.ok(depthOf(tree) > Math.min(n, 3), `${n}: ${depthOf(tree)} levels`);
        highlightTree(tree, tagHighlighter([{ tag: tags.bracket, class: "b" }]), () => undefined);
      }
    });
  }
}

test("what the engine reads has its colours: two hundred levels", () => {
  for (const [name, text] of Object.entries(yaml)) {
    if (name.startsWith("open") || name === "keys of keys") continue; // a mistake, or no YAML of Kubernetes
    assert.ok(depthOf(yamlWithCelLanguage.parser.parse(text(200))) > 200, name);
  }
});

test("a text that is too deep for a moment has its colours again", () => {
  const deep = yaml["brackets"]?.(2_000) ?? "";
  for (const [support, text] of [
    [yamlWithCel(), "a: [b, c]\n"],
    [cel(), "[1, 2].size() == 2"],
  ] as const) {
    let state = EditorState.create({ doc: text, extensions: support });
    const names = (): string => ensureSyntaxTree(state, state.doc.length, Infinity)?.toString() ?? "";
    const before = names();
    state = state.update({ changes: { from: text.length, insert: deep } }).state;
    assert.notEqual(names(), before);
    state = state.update({ changes: { from: text.length, to: text.length + deep.length } }).state;
    assert.equal(names(), before);
  }
});
