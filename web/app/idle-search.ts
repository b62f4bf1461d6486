// A search while there is nothing else to do: for the lengths of lists that break a cost limit, or
// for requests that show what policies do. The engine searches in short slices, one for each call,
// so that an evaluation never waits for it.

import { EngineLost, Superseded, type EngineClient } from "./engine-client.ts";
import type { Calls, Scenario } from "./protocol.ts";

type Searches = "limits" | "examples";

export class IdleSearch<M extends Searches> {
  readonly #engine: EngineClient;
  readonly #method: M;
  readonly #rest: number;
  readonly #show: (found: Calls[M]["result"]) => void;
  #timer = 0;
  /** The search that is wanted; an earlier one gives up. */
  #wanted = 0;

  /** rest is how long a result has to be shown before the search begins, in milliseconds. */
  constructor(engine: EngineClient, method: M, rest: number, show: (found: Calls[M]["result"]) => void) {
    this.#engine = engine;
    this.#method = method;
    this.#rest = rest;
    this.#show = show;
  }

  /** Begins with a scenario whose result is shown. */
  start(scenario: Scenario): void {
    this.stop();
    const search = this.#wanted;
    this.#timer = window.setTimeout(() => void this.#search(search, scenario), this.#rest);
  }

  /** Gives up: the result is no longer that of the texts. */
  stop(): void {
    window.clearTimeout(this.#timer);
    this.#wanted++;
  }

  async #search(search: number, scenario: Scenario): Promise<void> {
    try {
      while (search === this.#wanted) {
        const reply = await this.#engine.call(this.#method, scenario);
        if (!reply.done) continue;
        if (search === this.#wanted) this.#show(reply);
        return;
      }
    } catch (error) {
      // The page says elsewhere that the engine was lost; the next result begins anew.
      if (!(error instanceof EngineLost) && !(error instanceof Superseded)) throw error;
    }
  }
}
