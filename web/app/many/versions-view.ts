// The outcome under every Kubernetes version, one after the other, so that the
// first answers are there at once. Runs only while its tab is open.

import { Superseded, type EngineClient } from "../engine-client.ts";
import type { Evaluated, Scenario } from "../protocol.ts";
import { reasonOf } from "../reason.ts";
import { pointAt, replace } from "../result.ts";
import { trustedHTML } from "../trusted.ts";

export class VersionsView {
  readonly #engine: EngineClient;
  #shown = false;
  #run = 0;
  /** The rows by version, and the scenario that they are of. */
  #rows = new Map<string, HTMLElement>();
  #of = "";

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  /** What is shown is of an older text. */
  invalidate(): void {
    this.#shown = false;
    this.#run++;
  }

  open(scenario: Scenario): void {
    if (this.#shown) return;
    this.#shown = true;
    void this.#fill(scenario, ++this.#run);
  }

  /** Shows rows that wait for their outcome, and a strip whose cells lead to them. */
  #begin(): void {
    const body = document.querySelector<HTMLElement>("#view-versions .view-body");
    const select = document.querySelector<HTMLSelectElement>("#kubernetes");
    if (body === null || select === null) return;
    const rows = new Map<string, HTMLElement>();
    const list = document.createElement("ol");
    list.className = "versions";
    for (const { value } of select.options) {
      const row = document.createElement("li");
      row.append(cell("version-name", value), cell("version-outcome", "…"));
      list.append(row);
      rows.set(value, row);
    }
    const strip = cell("version-strip-room", "");
    strip.append(waiting([...rows.keys()].reverse()), hint("Evaluating on every version…"));
    strip.addEventListener("click", (event) => {
      const cell = (event.target as Element).closest<HTMLElement>("[data-version]");
      const row = rows.get(cell?.dataset["version"] ?? "");
      if (row !== undefined) pointAt(row);
    });
    body.replaceChildren(strip, list);
    this.#rows = rows;
  }

  async #fill(scenario: Scenario, run: number): Promise<void> {
    // The page evaluates the same texts again once the API server's own code has loaded. Until then, nothing changes.
    const of = JSON.stringify(scenario);
    if (this.#of !== of) this.#begin();
    this.#of = of;
    const rows = this.#rows;
    let above = "";
    for (const [version, row] of rows) {
      try {
        // Without a slot: goes behind whatever the reader waits for.
        const reply = await this.#engine.call("evaluate", { scenario: { ...scenario, kubernetes: version } });
        if (run !== this.#run) return;
        fill(row, version, reply, scenario.kubernetes ?? "");
        const sign = document.querySelector(`.version-wait[data-wait="${version}"] > div`);
        if (sign !== null)
          sign.textContent = row.querySelector(".verdict strong")?.textContent?.replace(/,.*/, "").toLowerCase() ?? "";
        // The message is shown once for all versions that give the same one.
        const { outcome } = reply.report;
        const shown = row.querySelector(".message")?.textContent;
        const said = JSON.stringify([outcome.code, outcome.message, outcome.mutated, shown]);
        row.classList.toggle("is-same", said === above);
        above = said;
      } catch (error) {
        if (error instanceof Superseded || run !== this.#run) return;
        row.lastElementChild?.replaceChildren(reasonOf(error));
      }
    }
    await this.#explain(scenario, run, rows);
  }

  /** Fast now: the engine has started every version. */
  async #explain(scenario: Scenario, run: number, rows: Map<string, HTMLElement>): Promise<void> {
    try {
      const reply = await this.#engine.call("versions", scenario);
      if (run !== this.#run) return;
      const strip = document.querySelector<HTMLElement>("#view-versions .version-strip-room");
      if (strip !== null) replace(strip, reply.html); // keeps the focus
      for (const { dataset } of document.querySelectorAll<HTMLElement>(".version-strip-room [data-change]")) {
        const { version = "", change = "" } = dataset;
        if (change !== "") rows.get(version)?.lastElementChild?.append(cell("version-reason", change));
      }
    } catch (error) {
      // The rows stand without the reasons; a newer text asks again.
      if (!(error instanceof Superseded)) console.error(error);
    }
  }
}

/** The strip until it is there: its cells, so that there is no gap. */
function waiting(versions: readonly string[]): HTMLElement {
  const list = document.createElement("ol");
  for (const version of versions) {
    const item = document.createElement("li");
    item.className = "version-wait";
    item.dataset["wait"] = version;
    item.append(cell("version-number", "…"), cell("version-number", version));
    list.append(item);
  }
  return list;
}

/** The line below the strip, which keeps its height. */
function hint(text: string): HTMLElement {
  const line = document.createElement("p");
  line.className = "muted hint";
  line.textContent = text;
  return line;
}

function cell(className: string, text: string): HTMLElement {
  const element = document.createElement("div");
  element.className = className;
  element.textContent = text;
  return element;
}

function fill(row: HTMLElement, version: string, reply: Evaluated, current: string): void {
  const { report, html } = reply;
  row.classList.toggle("is-current", version === current);
  const outcome = row.lastElementChild;
  if (!(outcome instanceof HTMLElement)) return;
  outcome.innerHTML = trustedHTML(html.outcome);
  // The strip above is picture enough, and what the verdict rests on is beside the verdict.
  for (const part of outcome.querySelectorAll(".path, .asked, .assumed, .facts, .fixes")) part.remove();
  for (const part of outcome.querySelectorAll("[aria-label]")) {
    part.setAttribute("aria-label", `${part.getAttribute("aria-label") ?? ""}, Kubernetes ${version}`);
  }
  // What rejects a policy is in the message, or in that of the version above.
  if (outcome.querySelector(".is-refused") !== null) return;
  const refused = report.diagnostics.filter((d) => d.severity === "error");
  for (const d of refused.slice(0, 3)) outcome.append(cell("version-problem", d.summary));
  if (refused.length > 3) outcome.append(cell("version-problem", `and ${refused.length - 3} more problems`));
}
