import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileTests } from "@lezer/generator/test";
import { buildParserFile } from "@lezer/generator";
import { parser } from "../src/parser.js";

const read = (name: string) => readFileSync(name, "utf8");

test("the grammar's cases", async (t) => {
  for (const { name, run } of fileTests(read("test/grammar.txt"), "grammar.txt")) {
    await t.test(name, () => run(parser));
  }
});

test("every operator of CEL is a token of its own", () => {
  for (const operator of ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "in", "&&", "||"]) {
    const tree = parser.parse(`a ${operator} b`).toString();
    assert.match(tree, /^Expression\(BinaryExpression\(VariableName,\w+,VariableName\)\)$/, operator);
  }
});

test("src/parser.ts is what src/cel.grammar generates", () => {
  const { parser: generated } = buildParserFile(read("src/cel.grammar"), {
    fileName: "src/cel.grammar",
    typeScript: true,
    includeNames: false,
  });
  assert.equal(read("src/parser.ts"), generated, "run: npm run generate");
});
