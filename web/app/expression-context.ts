// What the expression is read as. Schema rules are a text of their own kind: each
// kind keeps its text while the other is shown.

import { byID } from "./dom.ts";
import type { Editor } from "./editor.ts";
import { languageOf } from "./languages.ts";
import { isPart, isRules, placeOf, RULES_DRAFT, withPart, type Part } from "./rules-text.ts";
import { RULES } from "./texts.ts";

export class ExpressionContext {
  readonly #select = byID("expression-context", HTMLSelectElement);
  readonly #parts = byID("rule-parts", HTMLElement);
  readonly #about = byID("expression-about", HTMLElement);
  readonly #editor: Editor;
  /** The text of the kind that is not shown. */
  #other = "";
  #rules: boolean;

  constructor(editor: Editor, onChange: () => void) {
    this.#editor = editor;
    this.#rules = this.value === RULES;
    this.#select.addEventListener("change", () => {
      this.#changed();
      onChange();
    });
    this.#parts.addEventListener("click", (event) => {
      const part = (event.target as Element).closest<HTMLElement>("[data-part]")?.dataset["part"];
      if (isPart(part)) this.#reveal(part);
    });
  }

  get value(): string {
    return this.#select.value;
  }

  /** Shows the context of another scenario, whose text the editor has. */
  show(context: string | undefined): void {
    this.#select.value = context || "validation";
    this.#other = "";
    this.#settle();
  }

  /** Reads the expression as in another context, as if the reader had chosen it. */
  choose(context: string): void {
    this.#select.value = context;
    this.#changed();
  }

  #changed(): void {
    const was = this.#rules;
    this.#settle();
    if (was === this.#rules) return;
    const text = this.#editor.text;
    if (text !== "" && isRules(text) === this.#rules) return; // it is of this kind already
    const next = this.#other || (this.#rules ? RULES_DRAFT : "");
    this.#other = text;
    this.#editor.change(next);
  }

  /** Makes what is around the text fit the context. */
  #settle(): void {
    this.#rules = this.value === RULES;
    this.#parts.hidden = !this.#rules;
    this.#about.hidden = this.#rules;
    this.#editor.setLanguage(languageOf("expression", this.value));
  }

  /** Shows a part of the rules; one that is missing is added. */
  #reveal(part: Part): void {
    const text = withPart(this.#editor.text, part);
    this.#editor.change(text);
    const at = this.#editor.offsets.toBytes(placeOf(text, part) ?? 0);
    this.#editor.reveal({ start: at, end: at });
  }
}
