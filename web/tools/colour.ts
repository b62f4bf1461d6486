// Colours for the YAML and CEL of the static pages, by the grammars of the
// editors. Pages are read before any script runs, so the build writes the
// colours into them (tools/colour.mjs).

import { highlightCode, tagHighlighter } from "@lezer/highlight";
import { celLanguage, yamlWithCelLanguage } from "@preadmit/lang-cel";

import { SYNTAX, type SyntaxGroup } from "../app/syntax.ts";

/** What a code block on a page may hold: txtar is an archive of files of the other two. */
export type PageLanguage = "yaml" | "cel" | "txtar";

/** The classes of prose.css. */
const CLASSES: Record<SyntaxGroup, string> = {
  key: "k",
  text: "t",
  number: "n",
  operator: "o",
  function: "f",
  comment: "c",
};

const groups = tagHighlighter(
  (Object.keys(SYNTAX) as SyntaxGroup[]).flatMap((group) =>
    SYNTAX[group].map((tag) => ({ tag, class: CLASSES[group] })),
  ),
);

/** Where a file of an archive begins. */
const FILE = /^-- (\S+) --$/;

/** A text as HTML with its colours. Without the tags it is the text, escaped. */
export function colour(text: string, language: PageLanguage): string {
  return language === "txtar" ? archive(text) : source(text, language);
}

function archive(text: string): string {
  let out = "";
  let file = "";
  let language: PageLanguage = "yaml";
  for (const line of text.split(/(?<=\n)/)) {
    const name = FILE.exec(line.trimEnd())?.[1];
    if (name === undefined) {
      file += line;
      continue;
    }
    out += source(file, language) + span(line.trimEnd(), CLASSES.comment) + escape(line.slice(line.trimEnd().length));
    file = "";
    language = name.endsWith(".cel") ? "cel" : "yaml";
  }
  return out + source(file, language);
}

function source(text: string, language: "yaml" | "cel"): string {
  const { parser } = language === "cel" ? celLanguage : yamlWithCelLanguage;
  let out = "";
  highlightCode(
    text,
    parser.parse(text),
    groups,
    (code, classes) => (out += span(code, classes)),
    () => (out += "\n"),
  );
  return out;
}

function span(text: string, classes: string): string {
  return classes === "" ? escape(text) : `<span class="${classes}">${escape(text)}</span>`;
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => ESCAPES[c] ?? c);
}

/** The text of HTML that has no tags, as Go's html.EscapeString writes it. */
function unescape(html: string): string {
  const [lt, gt, quote, apostrophe] = [/&lt;/g, /&gt;/g, /&(?:#34|quot);/g, /&#39;/g];
  return html.replace(lt, "<").replace(gt, ">").replace(quote, '"').replace(apostrophe, "'").replace(/&amp;/g, "&");
}

/** A page with the code in it coloured: elements with data-language that have only text in them. */
export function colourPage(html: string): string {
  return html.replace(
    /(<(pre|code)\b[^>]*? data-language="(yaml|cel|txtar)"[^>]*>)([^<]*)(?=<\/\2>)/g,
    (_, tag: string, _name: string, language: PageLanguage, code: string) => tag + colour(unescape(code), language),
  );
}
