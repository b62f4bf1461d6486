// Looks, while there is nothing else to do, for the lengths of lists that break
// a cost limit. The engine searches in short slices, one for each call, so that
// an evaluation never waits for it.

import { EngineLost, Superseded, type EngineClient } from "./engine-client.ts";
import type { Scenario } from "./protocol.ts";

/**
 * How long a result has to be shown before the search begins, in milliseconds: it
 * takes seconds of processor, for nothing while the text still changes.
 */
const REST = 1500;

export class LimitsSearch {
  readonly #engine: EngineClient;
  readonly #show: (report: number) => void;
  #timer = 0;
  /** The search that is wanted; an earlier one gives up. */
  #wanted = 0;

  constructor(engine: EngineClient, show: (report: number) => void) {
    this.#engine = engine;
    this.#show = show;
  }

  /** Begins with a scenario whose result is shown. */
  start(scenario: Scenario): void {
    this.stop();
    const search = this.#wanted;
    this.#timer = window.setTimeout(() => void this.#search(search, scenario), REST);
  }

  /** Gives up: the result is no longer that of the texts. */
  stop(): void {
    window.clearTimeout(this.#timer);
    this.#wanted++;
  }

  async #search(search: number, scenario: Scenario): Promise<void> {
    try {
      while (search === this.#wanted) {
        const reply = await this.#engine.call("limits", scenario);
        if (!reply.done) continue;
        if (reply.id !== undefined && search === this.#wanted) this.#show(reply.id);
        return;
      }
    } catch (error) {
      // The page says elsewhere that the engine was lost; the next result begins anew.
      if (!(error instanceof EngineLost) && !(error instanceof Superseded)) throw error;
    }
  }
}
