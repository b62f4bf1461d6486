// Tests of the policies: cases, each a request and what is expected of it, that are
// run whenever a text changes. They are the tests of preadmit test, and go there and
// back as folders.

import { strToU8, zipSync } from "fflate";

import { byID, download } from "../dom.ts";
import { button, fileButton, make } from "../elements.ts";
import { EngineLost, type EngineClient } from "../engine-client.ts";
import { notice } from "../notice.ts";
import type { Case, CaseDifference, CaseResult, CaseStatus, Scenario, Span } from "../protocol.ts";
import { reasonOf } from "../reason.ts";
import { CoverageView } from "./coverage.ts";
import { verdictOf } from "./words.ts";

const EMPTY =
  "Save as a test keeps the request with its verdict as a test: the deciding policy and the message. The test runs again on every change of the policies. The tests download as folders for preadmit test, with a workflow for CI, and open again here.";

const RESULTS: Record<CaseStatus, { sign: string; text: string }> = {
  passed: { sign: "✓", text: "passes" },
  noPolicy: { sign: "!", text: "as expected, but no policy ran" },
  failed: { sign: "✕", text: "fails" },
};

export interface TestsEvents {
  scenario(): Scenario;
  cases(): readonly Case[];
  /** Other cases take the place of those there are. */
  onCases(cases: readonly Case[]): void;
  /** Shows the request of a case. */
  onOpen(test: Case): void;
  onFiles(files: File[]): void;
  /** Shows a place of the policies. */
  onPlace(span: Span): void;
}

/** A case on the page. */
interface Item {
  test: Case;
  element: HTMLElement;
  result: HTMLElement;
  status: CaseStatus | undefined;
}

export class TestsView {
  readonly #engine: EngineClient;
  readonly #events: TestsEvents;
  readonly #note = make("p", { class: "many-note" });
  readonly #list = make("ol", { class: "cases" });
  readonly #save = button("Download for CI", () => void this.#download());
  readonly #coverage: CoverageView;
  readonly #badge = byID("tests-badge", HTMLElement);
  #items: Item[] = [];
  /** Counts the runs; only the last goes on. */
  #turn = 0;

  constructor(place: HTMLElement, engine: EngineClient, events: TestsEvents) {
    this.#engine = engine;
    this.#events = events;
    this.#coverage = new CoverageView(engine, events);
    place.classList.add("many");
    place.replaceChildren(
      make(
        "div",
        { class: "many-tools" },
        button("Save as a test", () => void this.pin(), "primary"),
        this.#save,
        fileButton("Open tests…", false, (files) => events.onFiles(files)),
        fileButton("Open a folder…", true, (files) => events.onFiles(files)),
      ),
      this.#note,
      this.#list,
      this.#coverage.element,
    );
    this.show();
  }

  /** Shows the cases that there are now, and runs them. */
  show(): void {
    const before = this.#items;
    this.#items = this.#events.cases().map((test) => before.find((i) => i.test === test) ?? this.#item(test));
    // What has the focus stays on the page while nothing comes or goes.
    if (before.length !== this.#items.length || this.#items.some((item, i) => item !== before[i]))
      this.#list.replaceChildren(...this.#items.map(({ element }) => element));
    this.#save.hidden = this.#items.length === 0;
    void this.run();
  }

  /** Runs the cases, slice by slice; an earlier run gives up. */
  async run(): Promise<void> {
    const turn = ++this.#turn;
    const scenario = this.#events.scenario();
    // No result of a former text counts for this one.
    for (const item of this.#items) item.element.classList.add("is-running");
    this.#count();
    const left = [...this.#items];
    try {
      while (left.length > 0 && turn === this.#turn) {
        const cases = left.map(({ test }) => test);
        const { results } = await this.#engine.call("cases/run", { scenario, cases });
        if (turn !== this.#turn) return;
        for (const result of results) {
          const item = left.shift();
          if (item !== undefined) show(item, result);
        }
        this.#count();
      }
      if (turn === this.#turn) await this.#coverage.run();
    } catch (error) {
      if (turn !== this.#turn) return;
      const why = reasonOf(error);
      for (const item of left) show(item, { status: "failed", error: why });
      this.#count();
      if (!(error instanceof EngineLost)) throw error;
    }
  }

  /** Keeps the request with the verdict that it has now. */
  async pin(): Promise<void> {
    try {
      const test = await this.#engine.call("cases/pin", this.#events.scenario(), "cases/pin");
      const cases = this.#events.cases();
      this.#events.onCases([...cases, { ...test, name: unused(test.name, cases) }]);
      this.#items.at(-1)?.element.scrollIntoView({ block: "nearest" });
    } catch (error) {
      this.#tell(reasonOf(error));
    }
  }

  #tell(text: string): void {
    this.#note.textContent = text;
  }

  /** Says how many pass, above the list and on the tab. */
  #count(): void {
    const all = this.#items.length;
    const running =
      this.#items.some(({ status }) => status === undefined) || this.#list.querySelector(".is-running") !== null;
    const of = (wanted: CaseStatus): number => this.#items.filter(({ status }) => status === wanted).length;
    const passed = of("passed");
    this.#badge.textContent = all === 0 || running ? (all === 0 ? "" : "…") : `${String(passed)}/${String(all)}`;
    this.#badge.classList.toggle("is-error", !running && of("failed") > 0);
    this.#badge.classList.toggle("is-good", !running && passed === all && all > 0);
    this.#badge.title = running ? "the tests are running" : `${String(passed)} of ${String(all)} tests pass`;
    if (all === 0) this.#tell(EMPTY);
    else if (running) this.#tell("Running…");
    else {
      const parts = [`${String(passed)} of ${String(all)} ${all === 1 ? "passes" : "pass"}`];
      if (of("failed") > 0) parts.push(`${String(of("failed"))} ${of("failed") === 1 ? "fails" : "fail"}`);
      if (of("noPolicy") > 0) parts.push(`for ${String(of("noPolicy"))} no policy ran, so the test proves nothing`);
      this.#tell(`${parts.join(", ")}.`);
    }
  }

  #item(test: Case): Item {
    const name = make("input", { class: "case-name", attributes: { "aria-label": "Name of the test" } });
    name.value = test.name;
    name.maxLength = 60;
    name.addEventListener("change", () => {
      const others = this.#events.cases().filter((c) => c !== item.test);
      name.value = unused(name.value.trim() || "case", others);
      this.#replace(item, { ...item.test, name: name.value });
    });
    const result = make("div", { class: "case-result" });
    const element = make(
      "li",
      { class: "case" },
      make(
        "div",
        { class: "case-head" },
        name,
        button("Open", () => this.#events.onOpen(item.test), "quiet"),
        button("Update expectation", () => void this.#renew(item), "quiet"),
        button("Remove", () => this.#remove(item), "quiet"),
      ),
      result,
    );
    const item: Item = { test, element, result, status: undefined };
    return item;
  }

  /** Changes a case without making the list anew. */
  #replace(item: Item, test: Case): void {
    const cases = this.#events.cases().map((c) => (c === item.test ? test : c));
    item.test = test;
    this.#events.onCases(cases);
  }

  /** What the case gives now is what is expected from now on. */
  async #renew(item: Item): Promise<void> {
    const { test } = item;
    try {
      const page = this.#events.scenario();
      const own: Scenario = { ...page, ...test.settings, request: test.request };
      if (test.policies !== undefined) own.policies = test.policies;
      if (test.cluster !== undefined) own.cluster = test.cluster;
      if (test.defaulting !== undefined) own.options = { ...own.options, defaulting: test.defaulting };
      const { expected } = await this.#engine.call("cases/pin", own, "cases/pin");
      this.#replace(item, { ...test, expected });
      notice(`${test.name} expects the current result.`, { name: "Undo", run: () => this.#replace(item, test) });
    } catch (error) {
      this.#tell(reasonOf(error));
    }
  }

  #remove(item: Item): void {
    const before = this.#events.cases();
    this.#events.onCases(before.filter((c) => c !== item.test));
    notice(`Removed ${item.test.name}.`, { name: "Undo", run: () => this.#events.onCases(before) });
  }

  async #download(): Promise<void> {
    const files = await this.#engine.call("cases/files", {
      scenario: this.#events.scenario(),
      cases: [...this.#events.cases()],
    });
    const zip = zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
    download("policy-tests.zip", new Uint8Array(zip), "application/zip");
  }
}

/** A name that no other case has. */
function unused(name: string, cases: readonly Case[]): string {
  let free = name;
  for (let n = 2; cases.some((c) => c.name === free); n++) free = `${name}-${String(n)}`;
  return free;
}

function show(item: Item, { status, state, message, notRun, differences, error }: CaseResult): void {
  const { sign, text } = RESULTS[status];
  item.status = status;
  item.element.className = `case is-${status}`;
  const verdict = state === undefined ? "" : `: ${verdictOf({ state }).text}`;
  const parts: HTMLElement[] = [
    make(
      "p",
      { class: "case-status" },
      make("span", { text: sign, attributes: { "aria-hidden": "true" } }),
      ` ${text}${verdict}`,
    ),
  ];
  const why = error ?? (status === "passed" ? notRun : message);
  if (why !== undefined && why !== "") parts.push(make("p", { class: "case-why", text: why }));
  if (differences !== undefined)
    parts.push(make("ul", { class: "case-differences" }, ...differences.map(differenceOf)));
  item.result.replaceChildren(...parts);
}

function differenceOf({ path, problem, want, got }: CaseDifference): HTMLElement {
  const line = make("li", {}, make("code", { text: path }));
  if (problem !== undefined) line.append(`: ${problem}`);
  if (want !== undefined)
    line.append(
      make("span", { class: "case-want" }, "expected ", make("code", { text: want })),
      make("span", { class: "case-got" }, "now ", make("code", { text: got ?? "" })),
    );
  return line;
}
