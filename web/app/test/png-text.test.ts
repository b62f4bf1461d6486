// The texts inside the picture of a result.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";

import { withTexts } from "../share/png-text.ts";

/** A PNG of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("texts are chunks behind the header, with their checksums; the picture stays", () => {
  const png = new Uint8Array(Buffer.from(PIXEL, "base64"));
  const out = Buffer.from(withTexts(png, { Source: "https://preadmit.example/#1/abc", Description: "Denied – ä" }));
  const chunks: [string, string][] = [];
  for (let at = 8; at < out.length;) {
    const length = out.readUInt32BE(at);
    const body = out.subarray(at + 4, at + 8 + length);
    assert.equal(out.readUInt32BE(at + 8 + length), crc32(body));
    chunks.push([body.toString("latin1", 0, 4), body.toString("utf8", 4)]);
    at += 12 + length;
  }
  assert.deepEqual(
    chunks.map(([name]) => name),
    ["IHDR", "iTXt", "iTXt", "IDAT", "IEND"],
  );
  assert.equal(chunks[1]?.[1], "Source\0\0\0\0\0https://preadmit.example/#1/abc");
  assert.equal(chunks[2]?.[1], "Description\0\0\0\0\0Denied – ä");
  assert.deepEqual(out.subarray(-12), Buffer.from(png.subarray(-12)));
});
