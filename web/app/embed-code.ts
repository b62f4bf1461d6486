// The code that embeds a scenario in a page, for each kind of page, with a text for readers without
// scripts. Nothing here touches a document: the Share dialog shows the pieces and copies the result
// of toHTML.

import type { TextName } from "./texts.ts";

/** The kinds of pages, as the dialog names them. */
export const KINDS = [
  { kind: "line", name: "HTML, one line" },
  { kind: "html", name: "HTML, readable without a script" },
  { kind: "hugo", name: "Hugo" },
  { kind: "docusaurus", name: "Docusaurus" },
  { kind: "mkdocs", name: "MkDocs" },
  { kind: "markdown", name: "Markdown" },
] as const;

export type EmbedKind = (typeof KINDS)[number]["kind"];

/** The colour of an outcome. */
export type Tone = "admitted" | "mutated" | "denied" | "none";

/** What is embedded, and how. */
export interface Embedded {
  /** The address of the site, with a slash at its end. */
  site: string;
  /** The name of an example of the site, or the fragment of a link. */
  source: { example: string } | { scenario: string };
  title: string;
  /** The text that is shown first. */
  file: TextName;
  /** Lines in focus, such as "3-5,12"; empty for none. */
  lines: string;
  /** The part of the result; empty for what is folded. */
  view: string;
  unfold: boolean;
  readonly: boolean;
  /** light, dark, or empty for the reader's. */
  theme: string;
  /** In pixels. */
  height: number;
  /** The code that is there without a script, in pieces of one class each. */
  code: readonly Coloured[];
  /** What came of it, and why; the message may be empty. */
  verdict: string;
  message: string;
  tone: Tone;
}

/** Code of one colour; the classes are those of a page's code, and empty for plain text. */
export interface Coloured {
  text: string;
  kind: "" | "k" | "t" | "n" | "o" | "f" | "c";
}

/** An element as data. */
export interface Piece {
  tag: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly (Piece | string)[];
}

/** Light and dark of each colour, those of tokens.css. */
const COLOURS: Readonly<Record<string, readonly [string, string]>> = {
  paper: ["#fcfcfa", "#14181a"],
  ink: ["#1a2024", "#e6e9e7"],
  line: ["#e3e5e0", "#2b3236"],
  k: ["#0e5a73", "#8ccbe0"],
  t: ["#3c5a24", "#b4d09a"],
  n: ["#8a3b12", "#eaa97c"],
  o: ["#6a3fb0", "#c0a3f5"],
  f: ["#7a4a00", "#e5c07b"],
  c: ["#66706b", "#88938e"],
  admitted: ["#17703f", "#6fcf97"],
  mutated: ["#6a3fb0", "#c0a3f5"],
  denied: ["#b3261e", "#ff9086"],
  none: ["#5a646a", "#a3adb1"],
};

/** A colour in the theme of the embedded example; for the reader's theme both. */
function colour(name: string, theme: string): string {
  const [light, dark] = COLOURS[name] ?? ["inherit", "inherit"];
  return theme === "light" ? light : theme === "dark" ? dark : `light-dark(${light},${dark})`;
}

/** The address of the scenario in the playground. */
export function playgroundOf({ site, source }: Embedded): string {
  return "example" in source ? `${site}#example=${source.example}` : site + source.scenario;
}

/** The attributes that say what is embedded and how, without its style. */
function attributesOf(e: Embedded): Record<string, string> {
  return {
    ...e.source,
    file: e.file,
    ...(e.lines && { lines: e.lines }),
    ...(e.view && { view: e.view }),
    ...(e.theme && { theme: e.theme }),
    ...(e.unfold && { unfold: "" }),
    ...(e.readonly && { readonly: "" }),
    height: String(e.height),
    title: e.title,
  };
}

/** The attributes as those of the script. */
function dataOf(e: Embedded): Record<string, string> {
  return Object.fromEntries(Object.entries(attributesOf(e)).map(([name, value]) => [`data-${name}`, value]));
}

/** The room that it takes, before its script as after it. */
function roomOf(e: Embedded): string {
  return `display:flex;flex-direction:column;height:${e.height}px;margin:1em 0`;
}

/** The code takes what the outcome below it leaves, and scrolls. */
const SCROLLS = "flex:1;min-height:0;overflow:auto";

/** The element with what it shows without a script. */
export function element(e: Embedded): Piece {
  const paint = (name: string): string => colour(name, e.theme);
  const spans = e.code.map((c): Piece | string =>
    c.kind === "" ? c.text : { tag: "span", attributes: { style: `color:${paint(c.kind)}` }, children: [c.text] },
  );
  const surface = `background:${paint("paper")};color:${paint("ink")}`;
  return {
    tag: "preadmit-example",
    attributes: { ...attributesOf(e), style: roomOf(e) },
    children: [
      {
        tag: "pre",
        attributes: {
          tabindex: "0", // it scrolls
          style: `${SCROLLS};margin:0;padding:.75em 1em;font:.8125rem/1.55 ui-monospace,monospace;${surface}`,
        },
        children: [{ tag: "code", attributes: { style: "all:unset" }, children: spans }],
      },
      {
        tag: "p",
        attributes: {
          style: `margin:0;padding:.75em 1em;border-top:1px solid ${paint("line")};font:.875rem/1.5 system-ui,sans-serif;${surface}`,
        },
        children: outcomePieces(e, paint),
      },
    ],
  };
}

function outcomePieces(e: Embedded, paint: (name: string) => string): (Piece | string)[] {
  return [
    { tag: "strong", attributes: { style: `color:${paint(e.tone)}` }, children: [e.verdict] },
    e.message === "" ? " " : `: ${e.message} `,
    {
      tag: "a",
      attributes: { href: playgroundOf(e), style: "color:inherit" },
      children: ["Open in Preadmit"],
    },
  ];
}

/** The code for a kind of page. */
export function embedCode(kind: EmbedKind, e: Embedded): string {
  switch (kind) {
    case "line":
      return `${openTag("script", { async: "", src: `${e.site}embed.js`, ...dataOf(e) })}</script>\n`;
    case "html":
      return `<script async src="${e.site}embed.js"></script>\n${toHTML(element(e))}\n`;
    case "hugo":
      return hugo(e);
    case "docusaurus":
      return docusaurus(e);
    case "mkdocs":
      return mkdocs(e);
    case "markdown":
      return `${fenced(e)}\n\n${outcomeText(e)}\n\n[Open in Preadmit](${playgroundOf(e)})\n`;
  }
}

function plain(e: Embedded): string {
  return e.code.map((c) => c.text).join("");
}

function language(e: Embedded): string {
  return e.file === "expression" ? "text" : "yaml";
}

/** The code in a fence that is longer than any in it. */
function fenced(e: Embedded): string {
  const text = plain(e).replace(/\n*$/, "\n");
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language(e)}\n${text}${fence}`;
}

/** The outcome in Markdown. What the server says is no markup. */
function outcomeText(e: Embedded): string {
  const says = e.message
    .replace(/\s+/g, " ")
    .replace(/[&<>~|]/g, (c) => `&#${c.charCodeAt(0)};`) // not all readers let a backslash stand before these
    .replace(/[\\`*_{}[\]]/g, "\\$&");
  return `**${e.verdict}**${says === "" ? "" : `: ${says}`}`;
}

/** The parameters of a kit, with what it says without a script. */
function parameters(e: Embedded): [string, string][] {
  const message = e.message.replace(/\s+/g, " ");
  return Object.entries({
    site: e.site,
    ...attributesOf(e),
    outcome: e.verdict,
    ...(message && { message }),
    tone: e.tone,
  });
}

/** Hugo takes texts in double quotes with the escapes of Go. */
function hugo(e: Embedded): string {
  const parts = parameters(e).map(([name, value]) => `${name}=${JSON.stringify(value === "" ? "true" : value)}`);
  return `{{< preadmit ${parts.join(" ")} >}}\n${plain(e).replace(/\n*$/, "\n")}{{< /preadmit >}}\n`;
}

/** Props of JSX: a text with a quote or a backslash is an expression. */
function docusaurus(e: Embedded): string {
  const parts = parameters(e).map(([name, value]) => {
    if (value === "") return name;
    return /["\\{}<>&]/.test(value) ? `${name}={${JSON.stringify(value)}}` : `${name}="${value}"`;
  });
  return `import Preadmit from '@site/src/components/Preadmit';\n\n<Preadmit ${parts.join(" ")}>\n\n${fenced(e)}\n\n</Preadmit>\n`;
}

function mkdocs(e: Embedded): string {
  const { style: _, ...attributes } = element(e).attributes;
  const opening = openTag("preadmit-example", { markdown: "1", ...attributes, style: roomOf(e) });
  return `${opening}\n<div markdown="1" tabindex="0" style="${SCROLLS}">\n\n${fenced(e)}\n\n</div>\n\n${outcomeText(e)}\n[Open in Preadmit](${playgroundOf(e)})\n\n</preadmit-example>\n`;
}

/** A piece as HTML. */
export function toHTML(piece: Piece): string {
  const inner = piece.children.map((c) => (typeof c === "string" ? escape(c) : toHTML(c))).join("");
  // HTML takes away a line break at the beginning of a pre.
  return `${openTag(piece.tag, piece.attributes)}${inner}</${piece.tag}>`;
}

function openTag(tag: string, attributes: Readonly<Record<string, string>>): string {
  const list = Object.entries(attributes).map(([name, value]) =>
    value === "" ? ` ${name}` : ` ${name}="${escape(value).replaceAll('"', "&quot;")}"`,
  );
  return `<${tag}${list.join("")}>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** How many lines of a text an embedded example has without a script. */
const MOST = 40;

/** The part of a text that is there without a script: lines in focus with some around them, else its beginning. */
export function excerpt(text: string, ranges: readonly [number, number][] | undefined): string {
  const lines = text.replace(/\n*$/, "").split("\n");
  const near = (n: number): boolean =>
    ranges === undefined ? n <= MOST : ranges.some(([first, last]) => n >= first - 2 && n <= last + 2);
  const out: string[] = [];
  let cut = false;
  for (const [i, line] of lines.entries()) {
    if (near(i + 1)) out.push(line);
    else if (!cut || out.at(-1) !== "# …") out.push("# …");
    cut = !near(i + 1);
  }
  return `${out.join("\n")}\n`;
}
