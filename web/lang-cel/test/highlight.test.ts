import { test } from "node:test";
import assert from "node:assert/strict";
import { highlightTree, tagHighlighter, tags as t } from "@lezer/highlight";
import { parser } from "../src/parser.js";

const style = tagHighlighter([
  { tag: t.variableName, class: "variable" },
  { tag: t.special(t.variableName), class: "kubernetes" },
  { tag: t.propertyName, class: "field" },
  { tag: t.function(t.variableName), class: "function" },
  { tag: t.function(t.propertyName), class: "method" },
  { tag: t.macroName, class: "macro" },
  { tag: t.typeName, class: "type" },
  { tag: t.number, class: "number" },
  { tag: t.string, class: "string" },
  { tag: t.special(t.string), class: "bytes" },
  { tag: t.escape, class: "escape" },
  { tag: t.bool, class: "bool" },
  { tag: t.null, class: "null" },
  { tag: t.operatorKeyword, class: "keyword" },
  { tag: t.lineComment, class: "comment" },
]);

/** The styled parts of an expression, as `text:style`. */
function styled(text: string): string[] {
  const parts: string[] = [];
  highlightTree(parser.parse(text), style, (from, to, classes) => parts.push(`${text.slice(from, to)}:${classes}`));
  return parts;
}

const cases: [text: string, want: string[]][] = [
  ["object.spec.paused == false", ["object:kubernetes", "spec:field", "paused:field", "false:bool"]],
  [
    "items.all(i, i in params.ok)",
    ["items:variable", "all:macro", "i:variable", "i:variable", "in:keyword", "params:kubernetes", "ok:field"],
  ],
  ["has(oldObject.all)", ["has:macro", "oldObject:kubernetes", "all:field"]],
  ["Object{spec: Object.spec.template{}}", ["Object:type", "spec:field", "Object.spec.template:type"]],
  ["quantity('1Gi').isGreaterThan(q)", ["quantity:function", "'1Gi':string", "isGreaterThan:method", "q:variable"]],
  [`b'\\x00' + "a\\n"`, ["b':bytes", "\\x00:escape", "':bytes", `"a:string`, "\\n:escape", `":string`]],
  ["x == null // why", ["x:variable", "null:null", "// why:comment"]],
  ["variables.a[0] + 1.5", ["variables:kubernetes", "a:field", "0:number", "1.5:number"]],
];

for (const [text, want] of cases) {
  test(`highlights ${text}`, () => assert.deepEqual(styled(text), want));
}
