// Bytes to UTF-16 units and back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Offsets } from "../offsets.ts";

for (const text of ["", "plain", "é", "aé b", "日本語", "a😀b", "😀😀", "x\r\ny\té", "\ud800 lone"]) {
  test(`every character of ${JSON.stringify(text)} there and back`, () => {
    const offsets = new Offsets(text);
    const encoder = new TextEncoder();
    let unit = 0;
    for (const character of text) {
      const bytes = encoder.encode(text.slice(0, unit)).length;
      assert.equal(offsets.toBytes(unit), bytes);
      assert.equal(offsets.toUnits(bytes), unit);
      unit += character.length;
    }
    assert.equal(offsets.toUnits(encoder.encode(text).length), text.length);
  });
}

test("an offset inside a character is its start", () => {
  const offsets = new Offsets("a😀b");
  for (const byte of [1, 2, 3, 4]) assert.equal(offsets.toUnits(byte), 1);
  assert.equal(offsets.toUnits(5), 3);
});

test("offsets outside the text are at its ends", () => {
  const offsets = new Offsets("é");
  assert.equal(offsets.toUnits(-1), 0);
  assert.equal(offsets.toUnits(99), 1);
  assert.equal(offsets.toBytes(99), 2);
});

test("the line of a byte, without its end", () => {
  const text = "größe\nb\n\nlast";
  const line = (byte: number): string => {
    const offsets = new Offsets(text);
    const { start, end } = offsets.lineAt(byte);
    return text.slice(offsets.toUnits(start), offsets.toUnits(end));
  };
  assert.deepEqual([0, 7, 8, 9, 10, 11, 15].map(line), ["größe", "größe", "b", "b", "", "last", "last"]);
  assert.deepEqual(new Offsets(text).lineAt(8), { start: 8, end: 9 });
  assert.deepEqual(new Offsets("").lineAt(0), { start: 0, end: 0 });
});
