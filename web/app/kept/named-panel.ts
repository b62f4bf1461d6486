// Scenarios with names: save as, open, rename, and remove with the way back.

import { button, make } from "../elements.ts";
import { keepsNothing } from "../kept.ts";
import { LONGEST_NAME, named, putBack, removeNamed, renameNamed, saveNamed, type Named } from "../named.ts";
import { NOT_SAVED } from "../trouble.ts";
import type { KeptEvents, KeptPanel, Open } from "./kept-panel.ts";
import { contentOf, rowButton, timeOf, titleOf } from "./kept-words.ts";

const EMPTY = "Nothing is saved yet. This browser keeps what you save until you remove it.";

export class NamedPanel implements KeptPanel {
  readonly #events: KeptEvents;
  readonly #open: Open;
  readonly #name = make("input", {
    id: "save-name",
    attributes: { autocomplete: "off", maxlength: String(LONGEST_NAME), required: "" },
  });
  readonly #save = make("button", { class: "primary", text: "Save" });
  readonly #said = make("p", { class: "kept-said", role: "status" });
  readonly #note = make("p", { class: "muted" });
  readonly #list = make("ul", { class: "kept-list is-named" });
  /** The name that was saved or opened last. */
  #last = "";

  constructor(place: HTMLElement, events: KeptEvents, open: Open) {
    this.#events = events;
    this.#open = open;
    const form = make(
      "form",
      { class: "save-as" },
      make("label", { text: "Save the current scenario as", attributes: { for: "save-name" } }),
      make("span", { class: "save-line" }, this.#name, this.#save),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#saveAs();
    });
    place.append(form, this.#said, this.#note, this.#list);
  }

  focus(): void {
    if (this.#name.disabled) return;
    this.#name.focus();
    this.#name.select();
  }

  show(): void {
    this.#say("");
    const nothing = keepsNothing();
    this.#name.disabled = this.#save.disabled = nothing;
    this.#name.value = nothing ? "" : this.#last || titleOf(this.#events.work()).slice(0, LONGEST_NAME);
    this.#showList();
  }

  #showList(): void {
    const all = named();
    this.#note.textContent = keepsNothing() ? "Nothing is kept." : EMPTY;
    this.#note.hidden = all.length > 0;
    this.#list.hidden = all.length === 0;
    this.#list.replaceChildren(...all.map((entry) => this.#item(entry)));
  }

  #saveAs(): void {
    const name = this.#name.value.trim();
    if (name === "") return;
    const { trouble, replaced } = saveNamed(this.#events.work(), name, Date.now());
    if (trouble !== undefined) return this.#say(NOT_SAVED[trouble]);
    this.#last = name;
    this.#showList();
    if (replaced === undefined) return this.#say(`Saved as "${name}".`);
    this.#say(`Saved as "${name}", replacing the earlier one.`, () => this.#putBack(replaced));
  }

  #putBack(entry: Named): void {
    const trouble = putBack(entry);
    this.#showList();
    this.#say(trouble === undefined ? `"${entry.name}" is back as it was.` : NOT_SAVED[trouble]);
    this.#name.focus();
  }

  /** Says what was done, with the way back; focus tells whether the reader goes on there. */
  #say(text: string, undo?: () => void, focus = false): void {
    this.#said.replaceChildren(text);
    this.#said.hidden = text === "";
    if (undo === undefined) return;
    const back = button("Undo", undo, "quiet");
    this.#said.append(" ", back);
    if (focus) back.focus();
  }

  #item(entry: Named): HTMLElement {
    const { name } = entry;
    const open = rowButton(name, `${timeOf(entry.at)} · ${contentOf(entry)}`, () => {
      this.#last = name;
      this.#open(entry, `This is "${name}". The previous text is under Earlier work.`);
    });
    const item = make("li", {}, open);
    const rename = button("Rename", () => this.#rename(item, entry), "quiet");
    rename.ariaLabel = `Rename ${name}`;
    const remove = button(
      "Remove",
      () => {
        const trouble = removeNamed(entry.id);
        if (trouble !== undefined) return this.#say(NOT_SAVED[trouble]);
        this.#showList();
        this.#say(`Removed "${name}".`, () => this.#putBack(entry), true);
      },
      "quiet",
    );
    remove.ariaLabel = `Remove ${name}`;
    item.append(rename, remove);
    return item;
  }

  /** Puts a field in the place of the row: Enter takes the name, Escape leaves the old one. */
  #rename(item: HTMLElement, entry: Named): void {
    const field = make("input", {
      attributes: { "aria-label": `New name of ${entry.name}`, maxlength: String(LONGEST_NAME), autocomplete: "off" },
    });
    field.value = entry.name;
    const back = (): void => {
      this.#showList();
      [...this.#list.querySelectorAll<HTMLElement>("button")]
        .find((b) => b.ariaLabel === `Rename ${field.value.trim()}` || b.ariaLabel === `Rename ${entry.name}`)
        ?.focus();
    };
    const take = (): void => {
      const name = field.value.trim();
      const trouble = name === "" || name === entry.name ? undefined : renameNamed(entry.id, name);
      if (trouble === "taken") return this.#say(`Another scenario is called "${name}".`);
      if (trouble === undefined && this.#last === entry.name && name !== "") this.#name.value = this.#last = name;
      back();
      this.#say(trouble === undefined ? "" : NOT_SAVED[trouble]);
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") take();
      else if (event.key !== "Escape") return;
      else {
        field.value = entry.name;
        back();
      }
      event.preventDefault(); // Escape would close the dialog
    });
    item.replaceChildren(field, button("Rename", take, "primary"));
    field.focus();
    field.select();
  }
}
