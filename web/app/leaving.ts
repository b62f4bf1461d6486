// How an editor is left with the keyboard. Tab indents only after something else was done in the editor: who
// comes by Tab and goes on with Tab passes through. Once it indents, a hint says how to go on.

import { indentLess, indentMore } from "@codemirror/commands";
import { ViewPlugin, type EditorView, type KeyBinding, type ViewUpdate } from "@codemirror/view";

export const LEAVING = "Esc, then Tab leaves the editor";

/** Whether the last thing that was done was to press Tab, and not to point somewhere. */
let byTab = false;

/** Keys that pass through, or that choose where Tab goes. */
const PASSING = ["Shift", "Control", "Alt", "Meta"];

document.addEventListener(
  "keydown",
  ({ key, target }) => {
    // A Tab elsewhere may bring the focus here; one in an editor that is in use indents it.
    const outside = !(target instanceof Element && target.closest("[data-editor]") !== null);
    byTab = (key === "Tab" && (outside || byTab)) || (byTab && PASSING.includes(key));
  },
  true,
);
document.addEventListener("pointerdown", () => (byTab = false), true);

/** Tab, as an editor takes it. */
export const indentWithTab: KeyBinding = {
  key: "Tab",
  run: (view) => !byTab && indentMore(view),
  shift: (view) => !byTab && indentLess(view),
};

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
