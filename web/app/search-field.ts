// A field with a list of what it finds. The index is a file of the site, which is fetched when the
// field is first used, and so is the code that looks through it.

import { make } from "./elements.ts";
import type { Part } from "./find.ts";

export interface Searchable<T> {
  field: HTMLInputElement;
  list: HTMLElement;
  count?: HTMLElement;
  /** The address of the entries. */
  index: string;
  parts: Readonly<Record<string, Part<T>>>;
  /** What one entry is called, and several. */
  names: readonly [string, string];
  item(entry: T, query: string): HTMLElement;
}

/** How many entries are shown. */
const MOST = 12;

/** Makes a field search. */
export function installSearch<T>(of: Searchable<T>): void {
  const { field, list, count, names } = of;
  let index: Promise<(query: string) => T[]> | undefined;

  const update = async (): Promise<void> => {
    index ??= load(of);
    const query = field.value;
    const find = await index.catch(() => {
      index = undefined; // the next key tries again
      return undefined;
    });
    if (query !== field.value) return; // a later key shows its own
    const found = find?.(query) ?? [];
    list.hidden = query.trim() === "";
    if (count !== undefined)
      count.textContent = list.hidden ? "" : `${String(found.length)} ${names[found.length === 1 ? 0 : 1]}`;
    if (find === undefined) list.replaceChildren(make("li", { text: "The index could not be read: no network." }));
    else if (found.length === 0) list.replaceChildren(make("li", { text: `No ${names[0]} found.` }));
    else list.replaceChildren(...found.slice(0, MOST).map((entry) => of.item(entry, query)));
  };
  const links = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>("a")];
  field.addEventListener("input", () => void update());
  field.addEventListener("focus", () => {
    if (field.value !== "") void update();
    else void (index ??= load(of)).catch(() => (index = undefined)); // it is there with the first key
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
    const first = links()[0];
    if (event.key === "ArrowDown" && first !== undefined) {
      event.preventDefault();
      first.focus();
    }
    if (event.key === "Enter") {
      event.preventDefault(); // what is focused now would be pressed
      first?.click();
    }
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape") {
      list.hidden = true;
      field.focus();
    }
    if (step === 0) return;
    event.preventDefault();
    const all = links();
    (all[all.findIndex((link) => link === document.activeElement) + step] ?? field).focus();
  });
}

async function load<T>({ index, parts }: Searchable<T>): Promise<(query: string) => T[]> {
  const [{ finder }, response] = await Promise.all([import("./find.ts"), fetch(index)]);
  if (!response.ok) throw new Error(`the server answered ${String(response.status)}`);
  return finder((await response.json()) as T[], parts);
}
