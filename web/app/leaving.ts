// How an editor is left with the keyboard: Tab indents there, so a hint says how to go on for those who come by it.

import { ViewPlugin, type EditorView, type ViewUpdate } from "@codemirror/view";

export const LEAVING = "Esc, then Tab leaves the editor";

/** Whether the last thing that was done was to press Tab, and not to point somewhere. */
let byTab = false;

document.addEventListener("keydown", ({ key }) => (byTab = key === "Tab" || (byTab && key === "Shift")), true);
document.addEventListener("pointerdown", () => (byTab = false), true);

/** Says how the editor is left while it has the focus from the keyboard and nothing was typed. */
class Leaving {
  readonly #said = document.createElement("p");

  constructor(view: EditorView) {
    this.#said.className = "cm-leaving";
    this.#said.textContent = LEAVING;
    this.#said.ariaHidden = "true"; // it is the description of the text
    this.#said.hidden = true;
    view.dom.append(this.#said);
  }

  update(update: ViewUpdate): void {
    if (update.focusChanged) this.#said.hidden = !update.view.hasFocus || !byTab;
    else if (update.docChanged && !byTab) this.#said.hidden = true;
  }

  destroy(): void {
    this.#said.remove();
  }
}

export const leaving = ViewPlugin.fromClass(Leaving);
