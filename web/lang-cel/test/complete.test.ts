import { test } from "node:test";
import assert from "node:assert/strict";
import { CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { completeWith, completionSource, type CompletionAnswer } from "../src/complete.js";

/** Completes at the | in `marked`; what the provider was asked is noted in `asked`. */
async function complete(marked: string, answer: CompletionAnswer | null, explicit = false) {
  const asked: [string, number][] = [];
  const source = completionSource("policies", async (text, offset) => {
    asked.push([text, offset]);
    return answer;
  });
  const pos = marked.indexOf("|");
  const state = EditorState.create({ doc: marked.replace("|", "") });
  const result = await source(new CompletionContext(state, pos, explicit));
  return { asked, result: result as CompletionResult | null };
}

const answer: CompletionAnswer = {
  from: 7,
  to: 9,
  items: [
    { label: "spec", kind: "field", detail: "DeploymentSpec", boost: 5 },
    { label: "all", kind: "macro", apply: "all(${item}, ${})", doc: "One.\n\nTwo." },
  ],
};

test("asks the provider with the text's name and the offset", async () => {
  const { asked } = await complete("object.sp|", answer);
  assert.deepEqual(asked, [["policies", 9]]);
});

test("hands the suggestions on with type, detail and place", async () => {
  const { result } = await complete("object.sp|", answer);
  assert.equal(result!.from, 7);
  assert.equal(result!.to, 9);
  const [spec, all] = result!.options;
  assert.deepEqual(
    [spec?.label, spec?.type, spec?.detail, spec?.boost, spec?.info],
    ["spec", "field", "DeploymentSpec", 5, undefined],
  );
  assert.equal(typeof all?.apply, "function", "a template becomes a snippet");
  assert.equal(typeof all?.info, "function");
});

test("is silent without a reason to speak, but answers when asked", async () => {
  assert.deepEqual((await complete("a == |", answer)).asked, []);
  assert.equal((await complete("a == |", answer, true)).asked.length, 1);
});

test("is silent behind a number, which is none in a name", async () => {
  for (const text of ["replicas: 8|", "replicas: 88|", "12|", "a <= 5|"])
    assert.deepEqual((await complete(text, answer)).asked, [], text);
  for (const text of ["v1|", "object.x1|", "apps/v1|"])
    assert.equal((await complete(text, answer)).asked.length, 1, text);
  assert.equal((await complete("replicas: 8|", answer, true)).asked.length, 1);
});

test("opens after a dot, a quote and an open bracket", async () => {
  for (const text of ["object.|", "['|", "object.all(|", "Object{|", "kind:|"]) {
    assert.equal((await complete(text, answer)).asked.length, 1, text);
  }
});

test("nothing to say is no result", async () => {
  assert.equal((await complete("x.|", null)).result, null);
  assert.equal((await complete("x.|", { from: 2, to: 2, items: [] })).result, null);
});

test("completeWith adds a source to the editor's own", () => {
  const state = EditorState.create({ doc: "x", extensions: completeWith("cluster", async () => null) });
  assert.equal(state.languageDataAt("autocomplete", 0).length, 1);
});
