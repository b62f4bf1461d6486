// What is shown where there are policies and no request: one that they deny and one that they admit.

import { byID } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { IdleSearch } from "./idle-search.ts";
import type { Exampled, Scenario } from "./protocol.ts";
import { replace } from "./result.ts";

/** How long nobody types before the search begins, in milliseconds. */
const REST = 400;

export class RequestExamples {
  readonly #place = byID("request-examples", HTMLElement);
  readonly #search: IdleSearch<"examples">;
  #found: readonly Scenario[] = [];

  /** onUse gets the scenario with a request that the reader has chosen. */
  constructor(engine: EngineClient, onUse: (scenario: Scenario) => void) {
    this.#search = new IdleSearch(engine, "examples", REST, (found) => this.#show(found));
    this.#place.addEventListener("click", ({ target }) => {
      const chosen = (target as Element).closest<HTMLElement>("[data-example-request]")?.dataset["exampleRequest"];
      const scenario = this.#found[Number(chosen)];
      if (chosen !== undefined && scenario !== undefined) onUse(scenario);
    });
  }

  /** Looks for them, if a scenario has policies and no request. */
  start(scenario: Scenario): void {
    this.#search.stop(); // one that a late answer began
    if (scenario.policies?.trim() && !scenario.request?.trim()) {
      if (this.#place.hidden) this.#show({ done: false, html: "<p class=muted>Looking for requests to try…</p>" });
      this.#search.start(scenario);
    } else this.#show({ done: true });
  }

  /** What is shown stays until the next answer, so that the page does not move at each key. */
  stop(): void {
    this.#search.stop();
  }

  #show({ html = "", scenarios = [] }: Exampled): void {
    this.#found = scenarios;
    this.#place.hidden = html === "";
    replace(this.#place, html);
  }
}
