// Texts inside a PNG: they go where the picture goes, and show nothing.

import { strToU8 } from "fflate";

import { crc32 } from "../link.ts";

/** The bytes before the first chunk, and those of the header chunk. */
const SIGNATURE = 8;
const HEADER = 25;

/** A PNG with texts by keyword, such as Source, behind its header (PNG §11.3.3.4, iTXt). */
export function withTexts(
  png: Uint8Array<ArrayBuffer>,
  texts: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  const chunks = Object.entries(texts).map(([keyword, text]) => chunk(keyword, text));
  const at = SIGNATURE + HEADER;
  const out = new Uint8Array(png.length + chunks.reduce((sum, c) => sum + c.length, 0));
  out.set(png.subarray(0, at));
  let to = at;
  for (const c of chunks) {
    out.set(c, to);
    to += c.length;
  }
  out.set(png.subarray(at), to);
  return out;
}

function chunk(keyword: string, text: string): Uint8Array {
  // Keyword, uncompressed, no language, no translated keyword, text.
  const content = strToU8(`iTXt${keyword}\0\0\0\0\0${text}`);
  const out = new Uint8Array(4 + content.length + 4);
  const view = new DataView(out.buffer);
  view.setUint32(0, content.length - 4);
  out.set(content, 4);
  view.setUint32(4 + content.length, crc32(content));
  return out;
}
