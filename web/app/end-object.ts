// The final object of a request, which only the engine has: as a text to edit by hand, and
// as a fingerprint in the history of runs.

import type { EngineClient } from "./engine-client.ts";
import type { Work } from "./kept.ts";
import type { Evaluated } from "./protocol.ts";
import { recordReport } from "./runs.ts";

export class EndObject {
  readonly #engine: EngineClient;
  readonly #report: () => number | undefined;
  readonly #evaluate: () => Promise<void>;

  /** Report is that which is shown; evaluate makes it anew when the engine no longer has it. */
  constructor(engine: EngineClient, report: () => number | undefined, evaluate: () => Promise<void>) {
    this.#engine = engine;
    this.#report = report;
    this.#evaluate = evaluate;
  }

  /** The object as YAML; empty when there is none. */
  async text(): Promise<string> {
    for (const again of [true, false]) {
      const id = this.#report();
      if (id === undefined) break;
      const { gone, text } = await this.#engine.call("object", { id });
      if (gone !== true) return text;
      if (again) await this.#evaluate();
    }
    return "";
  }

  /** Adds a result to the history of runs, unless it is no longer the one that is shown. */
  async record({ id, report }: Evaluated, work: Work, isShown: () => boolean): Promise<void> {
    const { gone, text } = await this.#engine.call("object", { id, print: true });
    if (gone !== true && isShown()) recordReport(report, work, text, Date.now());
  }
}
