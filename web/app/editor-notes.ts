// Keeps the problems and notes in the editors those of the report that is shown. The engine gives
// notes for what the reader sees of long texts, and again when that is another part.

import type { Editor } from "./editor.ts";
import { EngineLost, Superseded, type EngineClient } from "./engine-client.ts";
import { notesOf } from "./notes.ts";
import type { Evaluated, Scenario, Sight, Span } from "./protocol.ts";
import { textNamed, type TextName } from "./texts.ts";

/** How long after the last change of what is seen notes are asked for, in milliseconds. */
const REST = 80;

/** What the page does for a problem; nothing where nothing can be edited. */
export interface ProblemEvents {
  /** The reader asked for a repair of a problem; both are counted as in the report. */
  onFix(problem: number, fix: number): void;
  onJump(text: TextName, span: Span): void;
}

export class EditorNotes {
  readonly #engine: EngineClient;
  readonly #events: ProblemEvents | undefined;
  readonly #editors: () => Iterable<[TextName, Editor]>;
  /** The report of the notes that are shown, and the scenario that it is of. */
  #shown: { reply: Evaluated; scenario: Scenario } | undefined;
  /** What the notes are of. */
  #seen: Sight[] = [];
  #timer = 0;

  constructor(engine: EngineClient, editors: () => Iterable<[TextName, Editor]>, events?: ProblemEvents) {
    this.#engine = engine;
    this.#events = events;
    this.#editors = editors;
  }

  /** Shows what a new report says about the texts. Notes stay as they are while a text is broken. */
  show(reply: Evaluated, scenario: Scenario): void {
    const { diagnostics } = reply.report;
    for (const [text, editor] of this.#editors()) {
      if (editor.text !== scenario[text]) continue; // the result of the text there now is on its way
      editor.showProblems(
        diagnostics.filter((d) => d.text === text),
        {
          onFix: (d, fix) => this.#events?.onFix(diagnostics.indexOf(d), fix),
          onJump: (place) => {
            const at = textNamed(place.text);
            if (at !== undefined) this.#events?.onJump(at, place.span);
          },
        },
      );
    }
    if (reply.broken !== undefined) return;
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
