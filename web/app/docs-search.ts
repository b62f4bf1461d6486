// The search of the documentation: through all sections, steps of the tour and examples.

import { make } from "./elements.ts";
import type { Part } from "./find.ts";
import { installSearch } from "./search-field.ts";

/** A section of a page, as web/site/search.go writes it. */
export interface Entry {
  page: string;
  title?: string;
  path: string;
  text: string;
}

export const PARTS: Readonly<Record<string, Part<Entry>>> = {
  title: { text: (entry) => entry.title ?? entry.page, worth: 5 },
  page: { text: (entry) => entry.page, worth: 2 },
  text: { text: (entry) => entry.text, worth: 1 },
};

/** How much of a text is shown around a word, in characters. */
const AROUND = 110;

/** The piece of a text around the first of the words that it has. */
export function excerpt(text: string, query: string): string {
  const lower = text.toLowerCase();
  const places = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => lower.indexOf(word))
    .filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const from = at < AROUND ? 0 : text.indexOf(" ", at - AROUND / 2) + 1;
  const piece = text.slice(from, from + AROUND * 1.5);
  return `${from > 0 ? "… " : ""}${piece}${from + piece.length < text.length ? " …" : ""}`;
}

/** Makes the search work, on a page that has one. */
export function installDocsSearch(): void {
  const field = document.querySelector<HTMLInputElement>("#doc-search");
  const list = document.querySelector<HTMLElement>("#doc-found");
  const count = document.querySelector<HTMLElement>("#doc-search-count");
  if (field === null || list === null || count === null) return;
  installSearch<Entry>({
    field,
    list,
    count,
    index: "/docs/search.json",
    parts: PARTS,
    names: ["section", "sections"],
    item,
  });
  list.addEventListener("click", () => (list.hidden = true)); // a heading of this page may be what was found
  document.addEventListener("click", (event) => {
    if (field.parentElement?.contains(event.target as Node) === false) list.hidden = true;
  });
}

function item(entry: Entry, query: string): HTMLElement {
  const link = make("a", {
    attributes: { href: entry.path },
    text: entry.title === undefined ? entry.page : `${entry.page} › ${entry.title}`,
  });
  return make("li", {}, link, make("span", { class: "muted", text: excerpt(entry.text, query) }));
}
