// A search while there is nothing else to do: for the lengths of lists that break a cost limit, for
// requests that show what policies do, or for those that fail in them. The engine searches in short slices, one for each call,
// so that an evaluation never waits for it.

import { EngineLost, Superseded, type EngineClient } from "./engine-client.ts";
import type { Calls } from "./protocol.ts";

type Searches = "limits" | "examples" | "foresee";

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

  /** Begins with what is shown. */
  start(params: Calls[M]["params"]): void {
    this.stop();
    const search = this.#wanted;
    this.#timer = window.setTimeout(() => void this.#search(search, params), this.#rest);
  }

  /** Gives up: the result is no longer that of the texts. */
  stop(): void {
    window.clearTimeout(this.#timer);
    this.#wanted++;
  }

  async #search(search: number, params: Calls[M]["params"]): Promise<void> {
    try {
      while (search === this.#wanted) {
        const reply = await this.#engine.call(this.#method, params);
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
