// Which characters of a YAML scalar are characters of its value. The nested
// parser reads only these, so indentation, headers and escapes of YAML do not
// disturb the CEL inside.

/** A half-open range of positions in the document. */
export interface Range {
  from: number;
  to: number;
}

/** The value of a scalar as ranges of the document. */
export interface ScalarRanges {
  ranges: Range[];
  /** YAML turns the line breaks of this scalar into spaces. */
  folded: boolean;
}

/** Plain and quoted scalars: `text` is the scalar as written at `from`. */
export function flowRanges(text: string, from: number): ScalarRanges {
  if (text[0] == '"') return { ranges: doubleQuoted(text, from), folded: true };
  if (text[0] == "'") return { ranges: singleQuoted(text, from), folded: true };
  return { ranges: continued(text, 0, text.length, from), folded: true };
}

/** Block scalars: `text` is the content below the header, `header` as in `|2-`. */
export function blockRanges(header: string, text: string, from: number): ScalarRanges {
  const lines = text.split("\n");
  let indent = Infinity;
  for (const line of lines) if (line.trim()) indent = Math.min(indent, line.length - line.trimStart().length);
  const builder = new Builder(from);
  let at = 0;
  for (const line of lines) {
    const end = Math.min(at + line.length + 1, text.length);
    builder.add(Math.min(at + indent, at + line.length), end);
    at = end;
  }
  return { ranges: builder.ranges, folded: header.startsWith(">") };
}

/** Collects ranges, joining those that touch and leaving out empty ones. */
class Builder {
  ranges: Range[] = [];
  constructor(private readonly offset: number) {}

  add(start: number, end: number): void {
    if (start >= end) return;
    const from = this.offset + start,
      to = this.offset + end;
    const last = this.ranges[this.ranges.length - 1];
    if (last && last.to == from) last.to = to;
    else this.ranges.push({ from, to });
  }
}

/** Continuation lines lose their indentation. */
function continued(text: string, start: number, end: number, from: number): Range[] {
  const builder = new Builder(from);
  for (let at = start; at < end;) {
    const next = lineEnd(text, at, end);
    builder.add(at, next);
    at = skipIndent(text, next, end);
  }
  return builder.ranges;
}

function singleQuoted(text: string, from: number): Range[] {
  const end = closing(text, "'");
  const builder = new Builder(from);
  let start = 1;
  for (let at = 1; at < end; at++) {
    if (text[at] == "'") {
      // Two quotes stand for one: keep the first.
      builder.add(start, at + 1);
      start = ++at + 1;
    } else if (text[at] == "\n") {
      builder.add(start, at + 1);
      start = skipIndent(text, at + 1, end);
      at = start - 1;
    }
  }
  builder.add(start, end);
  return builder.ranges;
}

/**
 * An escaped quote or backslash loses the backslash before it. Escapes that
 * stand for a character that is not in the text, such as \n and \u0026, are
 * left out whole: ranges cannot say what they mean.
 */
function doubleQuoted(text: string, from: number): Range[] {
  const end = closing(text, '"');
  const builder = new Builder(from);
  let start = 1;
  for (let at = 1; at < end; at++) {
    if (text[at] == "\\") {
      builder.add(start, at);
      start = at + escapeLength(text, at, end);
      if (/["\\/ \t]/.test(text[at + 1] ?? "")) start = at + 1;
      else if (text[at + 1] == "\n") start = skipIndent(text, at + 2, end);
      at = Math.max(start, at + 2) - 1;
    } else if (text[at] == "\n") {
      builder.add(start, at + 1);
      start = skipIndent(text, at + 1, end);
      at = start - 1;
    }
  }
  builder.add(start, end);
  return builder.ranges;
}

function escapeLength(text: string, at: number, end: number): number {
  const digits: Record<string, number> = { x: 2, u: 4, U: 8 };
  return Math.min(2 + (digits[text[at + 1] ?? ""] ?? 0), end - at);
}

/** Where the content of a quoted scalar ends; it may still lack its end quote. */
function closing(text: string, quote: string): number {
  return text.length > 1 && text.endsWith(quote) ? text.length - 1 : text.length;
}

function lineEnd(text: string, at: number, end: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 || newline >= end ? end : newline + 1;
}

function skipIndent(text: string, at: number, end: number): number {
  while (at < end && (text[at] == " " || text[at] == "\t")) at++;
  return at;
}
