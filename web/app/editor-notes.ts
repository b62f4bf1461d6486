// Keeps the problems and notes in the editors those of the report that is shown. The engine gives
// notes for what the reader sees of long texts, and again when that is another part.

import type { Editor } from "./editor.ts";
import { EngineLost, Superseded, type EngineClient } from "./engine-client.ts";
import { notesOf } from "./notes.ts";
import type { Evaluated, Scenario, Sight, Span, Step } from "./protocol.ts";
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
  /** The report of the problems that are shown, and its scenario. */
  #told: { reply: Evaluated; scenario: Scenario } | undefined;
  /** What the notes are of that are shown or asked for. */
  #seen: Sight[] = [];
  #timer = 0;

  constructor(engine: EngineClient, editors: () => Iterable<[TextName, Editor]>, events?: ProblemEvents) {
    this.#engine = engine;
    this.#events = events;
    this.#editors = editors;
  }

  /** What the reader sees of the texts of a scenario, with what is around it: its notes are wanted with the report. */
  sights(scenario: Scenario): Sight[] {
    return this.#sights(scenario, true);
  }

  /**
   * Shows what a new report says about the texts. Its notes came with it for what the reader saw then,
   * or are asked for now, behind the answer. They stay as they are while a text is broken.
   */
  show(reply: Evaluated, scenario: Scenario, seen: Sight[] = []): void {
    this.problems(reply, scenario);
    if (reply.broken !== undefined) return;
    window.clearTimeout(this.#timer);
    this.#shown = { reply, scenario };
    if (reply.notes === undefined) void this.#ask();
    else this.#put(reply.notes, seen);
    this.follow();
  }

  /** Shows the problems of a report in the texts, with their repairs. */
  problems(reply: Evaluated, scenario: Scenario): void {
    this.#told = { reply, scenario };
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
  }

  /** Shows the problems of a report again, which are others now; nothing happens before they are shown at all. */
  again(reply: Evaluated): void {
    if (this.#told?.reply === reply) this.problems(reply, this.#told.scenario);
  }

  /** Looks whether the reader sees what has no notes yet. */
  follow(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      const covered = ({ text, start, end }: Sight): boolean =>
        this.#seen.some((s) => s.text === text && s.start <= start && s.end >= end);
      if (this.#shown !== undefined && !this.#sights(this.#shown.scenario, false).every(covered)) void this.#ask();
    }, REST);
  }

  /** What the reader sees of the texts of a scenario, with what is around it or without. */
  #sights(scenario: Scenario, around: boolean): Sight[] {
    const list: Sight[] = [];
    for (const [text, editor] of this.#editors()) {
      if (editor.text !== scenario[text]) continue; // the report on the text there now is on its way
      const sight = editor.sight(around);
      if (sight !== undefined) list.push({ text, ...sight });
    }
    return list;
  }

  async #ask(): Promise<void> {
    const shown = this.#shown;
    if (shown === undefined) return;
    const sights = this.#sights(shown.scenario, true);
    this.#seen = sights; // asked for once
    try {
      const { gone, steps } = await this.#engine.call("notes", { id: shown.reply.id, in: sights }, "notes");
      if (gone !== true && shown === this.#shown) this.#put(steps, sights);
    } catch (error) {
      // The page says elsewhere that the engine was lost; the next result brings its notes.
      if (!(error instanceof Superseded) && !(error instanceof EngineLost)) throw error;
    }
  }

  #put(steps: Step[], seen: Sight[]): void {
    if (this.#shown === undefined) return;
    this.#seen = seen;
    const { reply, scenario } = this.#shown;
    const { expression, rules } = reply.report;
    const ran = { steps: rules === undefined ? steps : [rules, ...steps], expression };
    for (const [text, editor] of this.#editors()) {
      if (editor.text === scenario[text]) editor.showNotes(notesOf(ran, text, editor.offsets));
    }
  }
}
