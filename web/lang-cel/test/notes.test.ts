import { test } from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { EditorView, type DecorationSet } from "@codemirror/view";
import { notes, setNotes, valueAt, type Note } from "../src/notes.js";

const doc = "first line\nobject.a == 1 && b\n";
const withNotes = (list: Note[]) => EditorState.create({ doc, extensions: notes() }).update(setNotes(list)).state;

/** The decorations of a state as [from, to, class or note texts]. */
function drawn(state: EditorState): [number, number, string][] {
  const found: [number, number, string][] = [];
  for (const set of state.facet(EditorView.decorations)) {
    (set as DecorationSet).between(0, state.doc.length, (from, to, { spec }) => {
      found.push([from, to, spec.class ?? spec.widget.notes.map((n: { text: string }) => n.text).join(" | ")]);
    });
  }
  return found;
}

test("the note of a block scalar, which ends behind its last line, is on that line", () => {
  const state = withNotes([{ kind: "line", from: 11, to: doc.length, text: "true", tone: "ok" }]);
  assert.deepEqual(drawn(state), [[29, 29, "true"]]);
});

test("line notes are at the end of their line, those of one line together", () => {
  const state = withNotes([
    { kind: "line", from: 11, to: 24, text: "false", tone: "bad" },
    { kind: "line", from: 11, to: 24, line: 2, text: "cost 4", tone: "muted" },
    { kind: "line", from: 0, to: 5, text: "true", tone: "ok" },
  ]);
  assert.deepEqual(drawn(state), [
    [10, 10, "true"],
    [29, 29, "false | cost 4"],
  ]);
});

test("parts that failed and parts never evaluated are marked by class", () => {
  const state = withNotes([
    { kind: "unevaluated", from: 28, to: 29 },
    { kind: "mark", from: 11, to: 24, text: "8 == 1", tone: "bad" },
  ]);
  assert.deepEqual(drawn(state), [
    [11, 24, "cm-celMark cm-cel-bad"],
    [28, 29, "cm-celUnevaluated"],
  ]);
});

test("another text in the place of the whole has none of the old notes", () => {
  const state = withNotes([
    { kind: "line", from: 0, to: doc.length, text: "false", tone: "bad" },
    { kind: "value", from: 11, to: 17, text: "1" },
  ]);
  const replaced = state.update({ changes: { from: 0, to: doc.length, insert: "object.b" } }).state;
  assert.deepEqual(drawn(replaced), []);
  assert.equal(valueAt(replaced, 0), null);
});

test("notes move with the text and are replaced by the next result", () => {
  let state = withNotes([
    { kind: "mark", from: 11, to: 24, tone: "bad" },
    { kind: "value", from: 11, to: 19, text: "1 int" },
  ]);
  state = state.update({ changes: { from: 0, insert: "new " } }).state;
  assert.deepEqual(drawn(state), [[15, 28, "cm-celMark cm-cel-bad"]]);
  assert.deepEqual(valueAt(state, 16), { kind: "value", from: 15, to: 23, text: "1 int" });
  state = state.update(setNotes([])).state;
  assert.deepEqual(drawn(state), []);
  assert.equal(valueAt(state, 16), null);
});

test("the value of the smallest part around the pointer", () => {
  const state = withNotes([
    { kind: "value", from: 11, to: 24, text: "true bool" },
    { kind: "value", from: 11, to: 19, text: "1 int" },
    { kind: "value", from: 11, to: 17, text: "{…} map" },
  ]);
  assert.equal(valueAt(state, 13)!.text, "{…} map");
  assert.equal(valueAt(state, 18)!.text, "1 int");
  assert.equal(valueAt(state, 22)!.text, "true bool");
  assert.equal(valueAt(state, 5), null);
});

test("notes on a text that has become shorter since are left out", () => {
  const state = withNotes([
    { kind: "mark", from: 20, to: 400, tone: "bad" },
    { kind: "line", from: 0, to: 1, line: 99, text: "late", tone: "ok" },
    { kind: "value", from: 5, to: 3, text: "turned round" },
  ]);
  assert.deepEqual(drawn(state), []);
});
