// What this browser keeps of the reader's work: one list, the name under which the scenario at
// hand joins it, and the switch that keeps nothing.

import { leadToDifferences } from "../differences.ts";
import { button, make } from "../elements.ts";
import { keepNothing, keepsNothing, type Work } from "../kept.ts";
import { LONGEST_NAME, putBack, renameNamed, saveNamed, type Named } from "../named.ts";
import { notice } from "../notice.ts";
import type { WhatIfParams, WhatIfReply } from "../protocol.ts";
import { reasonOf } from "../reason.ts";
import { replace } from "../result.ts";
import { forgetRuns, isOfVisit, type Run } from "../runs.ts";
import { changeWords, entries, forget, place, remove, runBefore, type Entry } from "./kept-entries.ts";
import { contentOf, NOT_SAVED, rowButton, timeOf, titleOf } from "./kept-words.ts";
import { changeOf } from "./run-change.ts";

/** What the dialog asks of the page. */
export interface KeptEvents {
  /** Shows other work; what is there now is kept. */
  restore(work: Work): void;
  /** Keeps what is there now, so that it is in the list. */
  keep(): void;
  /** What is there now. */
  work(): Work;
  /** Renders what differs between two scenarios. */
  whatIf(params: WhatIfParams): Promise<WhatIfReply>;
}

export class KeptDialog {
  readonly #events: KeptEvents;
  readonly #dialog = make("dialog", { id: "kept-dialog", attributes: { "aria-labelledby": "kept-title" } });
  readonly #nothing = make("input", { id: "keep-nothing" });
  readonly #name = make("input", {
    id: "save-name",
    attributes: { autocomplete: "off", maxlength: String(LONGEST_NAME), required: "" },
  });
  readonly #save = make("button", { class: "primary", text: "Save" });
  readonly #said = make("p", { class: "kept-said", role: "status" });
  readonly #note = make("p", { class: "muted", attributes: { tabindex: "-1" } });
  readonly #list = make("ol", { class: "kept-list", attributes: { "aria-label": "Saved and earlier work" } });
  readonly #forget = button("Delete all earlier work", () => this.#forgetAll(), "small");
  /** The name that was saved or opened last. */
  #last = "";

  constructor(events: KeptEvents) {
    this.#events = events;
    this.#nothing.type = "checkbox";
    this.#nothing.addEventListener("change", () => this.#keepNothing());
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
    this.#dialog.append(
      make("h2", { id: "kept-title", text: "On this machine" }),
      form,
      this.#said,
      this.#note,
      this.#list,
      this.#forget,
      make("label", { class: "check" }, this.#nothing, " Keep nothing on this machine"),
      make("p", {
        class: "muted",
        text: "Turning this on erases everything stored in this browser, including saved scenarios. Your text will not survive a reload. Theme and layout are still remembered.",
      }),
      make(
        "div",
        { class: "buttons share-close" },
        button("Close", () => this.#dialog.close(), "quiet"),
      ),
    );
    document.body.append(this.#dialog);
  }

  /** Opens the dialog; what is there now is in its list. */
  open(): void {
    this.#events.keep();
    this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
    if (this.#name.disabled) return;
    this.#name.focus();
    this.#name.select();
  }

  #keepNothing(): void {
    if (this.#nothing.checked) forgetRuns();
    keepNothing(this.#nothing.checked);
    if (!this.#nothing.checked) this.#events.keep();
    this.#show();
  }

  #show(): void {
    const nothing = keepsNothing();
    this.#nothing.checked = this.#name.disabled = this.#save.disabled = nothing;
    this.#name.value = nothing ? "" : this.#last || titleOf(this.#events.work()).slice(0, LONGEST_NAME);
    this.#say("");
    this.#showList();
  }

  #showList(): void {
    const all = entries();
    this.#note.textContent = place(all.length === 0);
    this.#list.hidden = all.length === 0;
    this.#forget.hidden = all.every((entry) => entry.named !== undefined);
    this.#list.replaceChildren(...all.map((entry) => this.#item(entry)));
  }

  #forgetAll(): void {
    forget(() => true);
    this.#showList();
    this.#note.focus();
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

  /** Says what was done, with the way back; focus moves the reader there. */
  #say(text: string, undo?: () => void, focus = false): void {
    this.#said.replaceChildren(text);
    this.#said.hidden = text === "";
    if (undo === undefined) return;
    const back = button("Undo", undo, "quiet");
    this.#said.append(" ", back);
    if (focus) back.focus();
  }

  #item(entry: Entry): HTMLElement {
    const { named, run } = entry;
    const title = named?.name ?? titleOf(entry);
    const when = timeOf(entry.at, "medium");
    const name = make("span", { class: named === undefined ? "" : "is-saved" });
    if (run !== undefined) name.append(make("strong", { class: `run-verdict is-${run.tone}`, text: run.verdict }), " ");
    name.append(title);
    const about = [
      named === undefined ? when : `Saved ${when}`,
      ...(run === undefined || isOfVisit(run) ? [] : ["an earlier visit"]),
      ...(run === undefined ? [contentOf(entry)] : run.message === "" ? [] : [run.message]),
    ];
    const open = rowButton(name, about.join(" · "), () => {
      if (named !== undefined) this.#last = title;
      this.#dialog.close();
      this.#events.restore(entry);
      notice(`This is "${title}" of ${when}. The previous text is in the same list.`);
    });
    const item = make("li", { class: run === undefined ? "" : "run" }, open);
    if (named !== undefined) {
      const rename = button("Rename", () => this.#rename(item, named), "quiet");
      rename.ariaLabel = `Rename ${title}`;
      item.append(rename);
    }
    const away = button("Remove", () => this.#remove(entry), "quiet");
    away.ariaLabel = named === undefined ? `Remove ${title}, ${when}` : `Remove ${title}`;
    item.append(away);
    if (run === undefined || named !== undefined) return item;
    const before = runBefore(run);
    const words = before === undefined ? "Nothing earlier to compare with." : changeWords(changeOf(run, before), run);
    item.append(make("p", { class: "run-change", text: words }));
    if (before !== undefined) item.append(this.#difference(run, before));
    return item;
  }

  #remove(entry: Entry): void {
    const trouble = remove(entry);
    if (trouble !== undefined) return this.#say(NOT_SAVED[trouble]);
    this.#showList();
    const { named } = entry;
    if (named === undefined) return this.#note.focus();
    this.#say(`Removed "${named.name}".`, () => this.#putBack(named), true);
  }

  /** What differs from the run before, as What if shows it; made when it is unfolded. */
  #difference(run: Run, before: Run): HTMLElement {
    const body = make("div", { class: "run-difference", text: "Comparing…" });
    leadToDifferences(body);
    const fold = make("details", {}, make("summary", { text: "Compare with the run before" }), body);
    fold.addEventListener("toggle", () => {
      if (!fold.open || body.dataset["made"] !== undefined) return;
      body.dataset["made"] = "";
      const params = {
        left: before.scenario,
        name: `Before, ${timeOf(before.at, "medium")}`,
        right: run.scenario,
        rightName: `Then, ${timeOf(run.at, "medium")}`,
      };
      this.#events.whatIf(params).then(
        ({ html }) => replace(body, html),
        (error: unknown) => {
          delete body.dataset["made"]; // unfolding it again tries again
          body.textContent = reasonOf(error);
        },
      );
    });
    return fold;
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
