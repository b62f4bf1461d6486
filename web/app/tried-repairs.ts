// Has the engine try the repairs of the report that is shown, once the reader rests: each trial
// takes as long as the answer, which does not wait for it. Repairs that lead to another problem
// go away then, from the list and from the editors at once.

import type { EditorNotes } from "./editor-notes.ts";
import { EngineLost, Superseded, type EngineClient } from "./engine-client.ts";
import type { Pace } from "./pace.ts";
import type { Evaluated, Repaired, Scenario } from "./protocol.ts";
import type { ResultPane } from "./result.ts";

export class TriedRepairs {
  readonly #engine: Pick<EngineClient, "call">;
  readonly #pace: Pick<Pace, "whenPaused">;
  readonly #notes: Pick<EditorNotes, "again">;
  readonly #result: Pick<ResultPane, "showProblems">;

  constructor(
    engine: Pick<EngineClient, "call">,
    pace: Pick<Pace, "whenPaused">,
    notes: Pick<EditorNotes, "again">,
    result: Pick<ResultPane, "showProblems">,
  ) {
    this.#engine = engine;
    this.#pace = pace;
    this.#notes = notes;
    this.#result = result;
  }

  /** Tries the repairs of a reply when nobody types; current says whether it is still the one that is shown. */
  follow(reply: Evaluated, scenario: Scenario, current: () => boolean): void {
    this.#pace.whenPaused("repairs", () => void this.#try(reply, scenario, current));
  }

  async #try(reply: Evaluated, scenario: Scenario, current: () => boolean): Promise<void> {
    if (reply.untried !== true || !current()) return;
    try {
      const repaired = await this.#engine.call("repairs", { id: reply.id, scenario }, "repairs");
      if (current()) this.put(reply, repaired);
    } catch (error) {
      // The page says elsewhere that the engine was lost; the next result brings its own repairs.
      if (!(error instanceof Superseded) && !(error instanceof EngineLost)) throw error;
    }
  }

  /** Puts what is known of a reply's problems behind its answer in their place, on the page and in the reply. */
  put(reply: Evaluated, { diagnostics, problems }: Repaired): void {
    if (diagnostics === undefined || problems === undefined) return;
    reply.report.diagnostics = diagnostics;
    reply.html.problems = problems;
    this.#notes.again(reply);
    this.#result.showProblems(problems);
  }
}
