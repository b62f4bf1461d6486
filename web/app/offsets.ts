// Spans in a report count UTF-8 bytes, editors count UTF-16 units. This is the
// only place that converts.

import type { Span } from "./protocol.ts";

const encoder = new TextEncoder();

/** Converts offsets of one text; cheap to make for texts that are all ASCII. */
export class Offsets {
  readonly text: string;
  #ascii: boolean;
  /** For each UTF-16 unit the byte offset at which it starts. */
  #bytes: Uint32Array | undefined;

  constructor(text: string) {
    this.text = text;
    this.#ascii = encoder.encode(text).length === text.length;
  }

  /** The UTF-16 offset of a byte offset; inside a character, that of its start. */
  toUnits(byte: number): number {
    const length = this.text.length;
    if (this.#ascii) return Math.min(Math.max(byte, 0), length);
    const bytes = this.#table();
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((bytes[middle] ?? Infinity) <= byte) low = middle;
      else high = middle - 1;
    }
    // Both halves of a surrogate pair start at the same byte; the first counts.
    while (low > 0 && low < length && bytes[low - 1] === bytes[low]) low--;
    return low;
  }

  /** The byte offset of a UTF-16 offset. */
  toBytes(unit: number): number {
    const clamped = Math.min(Math.max(unit, 0), this.text.length);
    return this.#ascii ? clamped : (this.#table()[clamped] ?? 0);
  }

  /** The line that a byte is in, without its end. */
  lineAt(byte: number): Span {
    const at = this.toUnits(byte);
    const end = this.text.indexOf("\n", at);
    const start = at === 0 ? 0 : this.text.lastIndexOf("\n", at - 1) + 1;
    return { start: this.toBytes(start), end: this.toBytes(end < 0 ? this.text.length : end) };
  }

  #table(): Uint32Array {
    if (this.#bytes !== undefined) return this.#bytes;
    const text = this.text;
    const table = new Uint32Array(text.length + 1);
    let byte = 0;
    for (let i = 0; i < text.length; i++) {
      table[i] = byte;
      const code = text.codePointAt(i) ?? 0;
      if (code > 0xffff) {
        table[++i] = byte;
        byte += 4;
      } else {
        byte += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
      }
    }
    table[text.length] = byte;
    this.#bytes = table;
    return table;
  }
}
