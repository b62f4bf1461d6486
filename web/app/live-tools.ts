// For an object of a running cluster: other requests about it. Its text stays as it is, but that
// what was created had nothing of what only a server sets.

import { byID } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { notice } from "./notice.ts";
import type { Report, Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import { same } from "./store.ts";

/** What the request is afterwards, by its operation. */
const SAID: Readonly<Record<string, string>> = {
  UPDATE: "an UPDATE of the object to itself",
  CREATE: "the object as created, without the server's fields",
  DELETE: "a DELETE of the object",
};

export class LiveTools {
  readonly #tools = byID("live-tools", HTMLElement);
  readonly #engine: EngineClient;
  readonly #scenario: () => Scenario;
  readonly #put: (scenario: Scenario) => void;

  constructor(engine: EngineClient, scenario: () => Scenario, put: (scenario: Scenario) => void) {
    this.#engine = engine;
    this.#scenario = scenario;
    this.#put = put;
    this.#tools.addEventListener("click", ({ target }) => {
      const operation = (target as Element).closest<HTMLElement>("[data-live]")?.dataset["live"];
      if (operation !== undefined) void this.#see(operation);
    });
  }

  show(report: Report): void {
    this.#tools.hidden = report.fromCluster !== true;
  }

  async #see(operation: string): Promise<void> {
    const former = this.#scenario();
    try {
      let text = former.request ?? "";
      if (operation === "CREATE") text = await this.#engine.call("request/strip", { text });
      if (!same(former, this.#scenario())) return; // the reader has gone on
      const { options } = former;
      this.#put({ ...former, request: text, options: { ...options, request: { ...options?.request, operation } } });
      notice(`The request is now ${SAID[operation] ?? operation}.`, { name: "Undo", run: () => this.#put(former) });
    } catch (error) {
      notice(reasonOf(error));
    }
  }
}
