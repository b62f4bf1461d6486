// Keeps the notes of the editors those of the report that is shown. The engine gives them for
// what the reader sees of long texts, and again when that is another part.

import type { Editor } from "./editor.ts";
import { EngineLost, Superseded, type EngineClient } from "./engine-client.ts";
import { notesOf } from "./notes.ts";
import type { Evaluated, Scenario, Sight } from "./protocol.ts";
import type { TextName } from "./texts.ts";

/** How long after the last change of what is seen notes are asked for, in milliseconds. */
const REST = 80;

export class EditorNotes {
  readonly #engine: EngineClient;
  readonly #editors: () => Iterable<[TextName, Editor]>;
  /** The report of the notes that are shown, and the scenario that it is of. */
  #shown: { reply: Evaluated; scenario: Scenario } | undefined;
  /** What the notes are of. */
  #seen: Sight[] = [];
  #timer = 0;

  constructor(engine: EngineClient, editors: () => Iterable<[TextName, Editor]>) {
    this.#engine = engine;
    this.#editors = editors;
  }

  /** Shows the notes of a new report. */
  show(reply: Evaluated, scenario: Scenario): void {
    window.clearTimeout(this.#timer);
    this.#shown = { reply, scenario };
    void this.#ask();
  }

  /** Looks whether the reader sees what has no notes yet. */
  follow(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      const covered = ({ text, start, end }: Sight): boolean =>
        this.#seen.some((s) => s.text === text && s.start <= start && s.end >= end);
      if (!this.#sights(false).every(covered)) void this.#ask();
    }, REST);
  }

  /** What the reader sees of the texts that the report is of, with what is around it. */
  #sights(around: boolean): Sight[] {
    const list: Sight[] = [];
    for (const [text, editor] of this.#editors()) {
      if (editor.text !== this.#shown?.scenario[text]) continue; // the report on the text there now is on its way
      const sight = editor.sight(around);
      if (sight !== undefined) list.push({ text, ...sight });
    }
    return list;
  }

  async #ask(): Promise<void> {
    const shown = this.#shown;
    if (shown === undefined) return;
    const sights = this.#sights(true);
    try {
      const { gone, steps } = await this.#engine.call("notes", { id: shown.reply.id, in: sights }, "notes");
      if (gone === true || shown !== this.#shown) return;
      this.#seen = sights;
      for (const [text, editor] of this.#editors()) {
        if (editor.text !== shown.scenario[text]) continue;
        const { expression, rules } = shown.reply.report;
        const ran = { steps: rules === undefined ? steps : [rules, ...steps], expression };
        editor.showNotes(notesOf(ran, text, editor.offsets));
      }
    } catch (error) {
      // The page says elsewhere that the engine was lost; the next result brings its notes.
      if (!(error instanceof Superseded) && !(error instanceof EngineLost)) throw error;
    }
  }
}
