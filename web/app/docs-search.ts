// The search of the documentation: through an index of all sections, which the site has
// as a file. It is fetched when the field is first used.

import { make } from "./elements.ts";
import { matches } from "./gallery.ts";

/** A section of a page, as web/site/search.go writes it. */
export interface Entry {
  page: string;
  title?: string;
  path: string;
  text: string;
}

/** How many sections are shown. */
const MOST = 12;

/** How much of a text is shown around a word, in characters. */
const AROUND = 110;

/** The sections that have every word, those that have them in their heading first. */
export function search(entries: readonly Entry[], query: string): Entry[] {
  if (query.trim() === "") return [];
  return entries
    .map((entry, place) => ({ entry, place, rank: rankOf(entry, query.toLowerCase()) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || a.place - b.place)
    .map(({ entry }) => entry);
}

/** How well a section fits; 0 when a word is missing. */
function rankOf({ page, title = "", text }: Entry, query: string): number {
  const heading = title.toLowerCase();
  const all = `${page} ${title} ${text}`.toLowerCase();
  if (!matches(all, query)) return 0;
  if (heading === query.trim()) return 5;
  if (matches(heading, query)) return 4;
  if (matches(page.toLowerCase(), query)) return title === "" ? 4 : 2;
  return all.includes(query.trim()) ? 2 : 1;
}

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
  let index: Promise<readonly Entry[]> | undefined;

  const update = async (): Promise<void> => {
    index ??= fetchIndex();
    const query = field.value;
    const read = await index.catch(() => {
      index = undefined; // the next key tries again
      return undefined;
    });
    if (query !== field.value) return; // a later key shows its own
    const found = search(read ?? [], query);
    list.hidden = query.trim() === "";
    count.textContent = list.hidden ? "" : found.length === 1 ? "1 section" : `${String(found.length)} sections`;
    if (read === undefined) list.replaceChildren(make("li", { text: "The index could not be read: no network." }));
    else if (found.length === 0) list.replaceChildren(make("li", { text: "No section has all of these words." }));
    else list.replaceChildren(...found.slice(0, MOST).map((entry) => item(entry, query)));
  };
  field.addEventListener("input", () => void update());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
    const first = list.querySelector<HTMLAnchorElement>("a");
    if (event.key === "ArrowDown" && first !== null) {
      event.preventDefault();
      first.focus();
    }
    if (event.key === "Enter") first?.click();
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape") {
      list.hidden = true;
      field.focus();
    }
    if (step === 0) return;
    event.preventDefault();
    const links = [...list.querySelectorAll<HTMLElement>("a")];
    const to = links[links.findIndex((link) => link === document.activeElement) + step];
    (to ?? field).focus();
  });
  list.addEventListener("click", () => (list.hidden = true)); // a heading of this page may be what was found
  document.addEventListener("click", (event) => {
    if (field.parentElement?.contains(event.target as Node) === false) list.hidden = true;
  });
  field.addEventListener("focus", () => {
    if (field.value !== "") void update();
  });
}

async function fetchIndex(): Promise<readonly Entry[]> {
  const response = await fetch("/docs/search.json");
  if (!response.ok) throw new Error(`the server answered ${String(response.status)}`);
  return (await response.json()) as Entry[];
}

function item(entry: Entry, query: string): HTMLElement {
  const link = make("a", {
    attributes: { href: entry.path },
    text: entry.title === undefined ? entry.page : `${entry.page} › ${entry.title}`,
  });
  return make("li", {}, link, make("span", { class: "muted", text: excerpt(entry.text, query) }));
}
