// The search in the menu of examples, which is loaded when the menu is first opened.

import { PARTS, type Entry } from "./docs-search.ts";
import { byID } from "./dom.ts";
import { make } from "./elements.ts";
import { installSearch } from "./search-field.ts";

/** A row of the menu. */
function item({ page, title = page, path }: Entry): HTMLElement {
  const link = make("a", { attributes: { href: path }, text: title }, make("span", { class: "muted", text: page }));
  link.dataset["example"] = path.split("/").at(-2) ?? "";
  return make("li", {}, link);
}

/** Makes the field search, for what is in it by now, too. */
export function installExampleSearch(field: HTMLInputElement): void {
  installSearch<Entry>({
    field,
    list: byID("example-found", HTMLElement),
    index: "/examples/search.json",
    parts: PARTS,
    names: ["example", "examples"],
    item,
  });
  field.addEventListener("input", () => (byID("example-topics", HTMLElement).hidden = field.value.trim() !== ""));
  field.dispatchEvent(new Event(field.value === "" ? "focus" : "input"));
}
