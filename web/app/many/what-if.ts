// What if: the scenario as it is now beside another one, with only what differs. The
// other one is what was opened, what the reader pinned, another version, earlier work,
// or the same without one of its policies.

import { leadToDifferences } from "../differences.ts";
import { EngineLost, Superseded, type EngineClient } from "../engine-client.ts";
import { button, make } from "../elements.ts";
import { states } from "../kept.ts";
import { timeOf, titleOf } from "../kept/kept-words.ts";
import { VERSIONS, type Scenario } from "../protocol.ts";
import { reasonOf } from "../reason.ts";
import { replace } from "../result.ts";
import { lastOpened, same } from "../store.ts";

const HINT = "Change a policy or the request, or choose another version. Differences appear here, side by side.";

/** What the scenario can be compared with. */
interface Base {
  /** Names it among the others, for as long as it is offered. */
  key: string;
  name: string;
  group: string;
  scenario: Scenario;
  without?: string;
}

export class WhatIfView {
  readonly #engine: EngineClient;
  readonly #scenario: () => Scenario;
  readonly #select = make("select", { id: "what-if-base" });
  readonly #hint = make("p", { class: "muted hint", text: HINT });
  readonly #result = make("div", { class: "what-if-result" });
  #pinned: { scenario: Scenario; at: string } | undefined;
  #policies: readonly string[] = [];
  #chosen = "opened";
  #offered = "";

  constructor(place: HTMLElement, engine: EngineClient, scenario: () => Scenario) {
    this.#engine = engine;
    this.#scenario = scenario;
    this.#select.addEventListener("change", () => {
      this.#chosen = this.#select.value;
      void this.show();
    });
    leadToDifferences(this.#result);
    place.replaceChildren(
      make(
        "div",
        { class: "many-tools" },
        make("label", { class: "field" }, make("span", { text: "Compare with" }), this.#select),
        button("Pin the current state", () => this.#pin()),
      ),
      this.#hint,
      this.#result,
    );
  }

  /** Compares what is there now. */
  async show(): Promise<void> {
    const now = this.#scenario();
    const bases = this.#bases(now);
    const base = bases.find(({ key }) => key === this.#chosen) ?? bases[0];
    if (base === undefined) return;
    this.#offer(bases, base);
    this.#hint.hidden = !same(base.scenario, now) || base.without !== undefined;
    try {
      const { scenario: left, name, without } = base;
      const params = { left, name, right: now, ...(without !== undefined && { without }) };
      const reply = await this.#engine.call("whatIf", params, "whatIf");
      replace(this.#result, reply.html);
      this.#policies = reply.policies;
      this.#offer(this.#bases(now), base);
    } catch (error) {
      if (error instanceof Superseded) return;
      const lost = error instanceof EngineLost ? " Change the text to try again." : "";
      this.#result.textContent = `${reasonOf(error)}${lost}`;
    }
  }

  #pin(): void {
    const at = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    this.#pinned = { scenario: this.#scenario(), at };
    this.#chosen = "pinned";
    void this.show();
  }

  /** All that there is to compare with, in the order in which it is offered. */
  #bases(now: Scenario): Base[] {
    const bases: Base[] = [
      { key: "opened", name: "As opened", group: "A state of this page", scenario: lastOpened() ?? now },
    ];
    if (this.#pinned !== undefined) {
      const { scenario, at } = this.#pinned;
      bases.push({ key: "pinned", name: `As pinned at ${at}`, group: "A state of this page", scenario });
    }
    for (const name of this.#policies)
      bases.push({
        key: `-${name}`,
        name: `Without ${name}`,
        group: "Without one policy",
        scenario: now,
        without: name,
      });
    for (const kubernetes of VERSIONS) {
      if (kubernetes === now.kubernetes) continue;
      const name = `Kubernetes ${kubernetes}`;
      bases.push({ key: kubernetes, name, group: "Another version", scenario: { ...now, kubernetes } });
    }
    for (const state of states()) {
      const { id, scenario, at } = state;
      if (same(scenario, now)) continue;
      const name = `${titleOf(state)}, ${timeOf(at)}`;
      bases.push({ key: id, name, group: "Earlier work", scenario });
    }
    return bases;
  }

  /** Puts the choices into the menu, unless they are there: an open menu keeps still. */
  #offer(bases: readonly Base[], chosen: Base): void {
    const offered = JSON.stringify(bases.map(({ key, name }) => [key, name]));
    if (offered !== this.#offered) {
      this.#offered = offered;
      this.#select.replaceChildren(
        ...[...new Set(bases.map(({ group }) => group))].map((group) => {
          const options = bases
            .filter((base) => base.group === group)
            .map(({ key, name }) => {
              const option = make("option", { text: name });
              option.value = key;
              return option;
            });
          return make("optgroup", { attributes: { label: group } }, ...options);
        }),
      );
    }
    this.#select.value = chosen.key;
  }
}
