// The attributes of <preadmit-example>. docs/embedding.md lists them for people;
// test/embed.test.ts compares the two lists.

/** Those that the page in the frame reads from its address (boot.ts reads the theme). */
export const PASSED_ON = ["example", "file", "lines", "view", "theme", "readonly", "unfold"] as const;

/** All attributes. The scenario follows the #, the height is the frame's. */
export const ATTRIBUTES = [...PASSED_ON, "scenario", "height"] as const;

/** Reads lines such as "3-5,12", counted from 1. Undefined when it is no such list. */
export function lineRanges(text: string): [number, number][] | undefined {
  const ranges: [number, number][] = [];
  for (const part of text.split(",")) {
    const [, first, last] = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part) ?? [];
    if (first === undefined) return undefined;
    const from = Number(first);
    ranges.push([from, Math.max(from, Number(last ?? first))]);
  }
  return ranges;
}
