// What the tests have shown of the policies: expressions, and parts of them, that never
// ran, were never true or never false. What was never false is what no test would miss.

import { button, make } from "../elements.ts";
import type { EngineClient } from "../engine-client.ts";
import type { Case, CoverageGap, CoverageReply, Scenario, Span } from "../protocol.ts";
import { reasonOf } from "../reason.ts";

export interface CoverageEvents {
  scenario(): Scenario;
  cases(): readonly Case[];
  /** Shows a place of the policies. */
  onPlace(span: Span): void;
}

/** How many gaps are shown at first. */
const FEW = 20;

export class CoverageView {
  readonly element = make("details", { class: "coverage" });
  readonly #engine: EngineClient;
  readonly #events: CoverageEvents;
  readonly #summary = make("summary", { text: "Coverage" });
  readonly #note = make("p", { class: "many-note" });
  readonly #bar = shareBar();
  readonly #list = make("div", { class: "coverage-gaps" });
  #turn = 0;

  constructor(engine: EngineClient, events: CoverageEvents) {
    this.#engine = engine;
    this.#events = events;
    this.element.append(this.#summary, this.#bar.element, this.#note, this.#list);
    this.element.addEventListener("toggle", () => void this.run());
  }

  /** Measures anew, while it is open; an earlier run gives up. */
  async run(): Promise<void> {
    const turn = ++this.#turn;
    const scenario = this.#events.scenario();
    const cases = this.#events.cases();
    this.element.hidden = cases.length === 0;
    if (!this.element.open || this.element.hidden) {
      this.#summary.textContent = "Coverage";
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    try {
      const reply = await measured(this.#engine, scenario, cases, () => turn === this.#turn);
      if (reply !== undefined) this.#show(reply, FEW);
    } catch (error) {
      if (turn === this.#turn) this.#note.textContent = reasonOf(error);
    } finally {
      if (turn === this.#turn) this.element.removeAttribute("aria-busy");
    }
  }

  #show(reply: CoverageReply, most: number): void {
    const { shown, targets, gaps } = reply;
    this.#summary.textContent = `Coverage: ${String(shown)} of ${String(targets)}`;
    this.#bar.show(shown, targets);
    this.#note.textContent = noteOf(reply);
    this.#list.replaceChildren(
      ...byPolicy(gaps.slice(0, most)).flatMap(({ name, gaps: own }) => [
        make("h3", { text: name }),
        make("ul", {}, ...own.map((gap) => this.#gap(gap))),
      ]),
      ...(gaps.length > most
        ? [button(`Show all ${String(gaps.length)}`, () => this.#show(reply, gaps.length), "quiet")]
        : []),
    );
  }

  #gap({ name, path, text, what, note, span }: CoverageGap): HTMLElement {
    const place = button(text, () => this.#events.onPlace(span), "coverage-place");
    place.title = `${name}, ${path}`;
    return make(
      "li",
      {},
      make("span", { class: "coverage-what", text: what }),
      " ",
      place,
      ...(note === undefined ? [] : [make("span", { class: "coverage-note", text: note })]),
    );
  }
}

const SVG = "http://www.w3.org/2000/svg";

/** A bar of what was shown; the figures are in the words above it. */
function shareBar(): { element: SVGSVGElement; show: (shown: number, of: number) => void } {
  const element = document.createElementNS(SVG, "svg");
  element.setAttribute("class", "coverage-bar");
  element.setAttribute("aria-hidden", "true");
  const [whole, part] = [document.createElementNS(SVG, "rect"), document.createElementNS(SVG, "rect")];
  whole.setAttribute("width", "100%");
  part.setAttribute("class", "is-shown");
  for (const rect of [whole, part]) {
    rect.setAttribute("height", "100%");
    rect.setAttribute("rx", "2");
    element.append(rect);
  }
  return {
    element,
    show(shown, of) {
      part.setAttribute("width", `${String(of === 0 ? 0 : (100 * shown) / of)}%`);
    },
  };
}

/** Gaps under the name of what they are in, in the order of the first of each. */
export function byPolicy(gaps: readonly CoverageGap[]): { name: string; gaps: CoverageGap[] }[] {
  const names = [...new Set(gaps.map((gap) => gap.name))];
  return names.map((name) => ({ name, gaps: gaps.filter((gap) => gap.name === name) }));
}

/** Asks slice by slice; undefined when it is no longer wanted. */
export async function measured(
  engine: Pick<EngineClient, "call">,
  scenario: Scenario,
  cases: readonly Case[],
  wanted: () => boolean,
): Promise<CoverageReply | undefined> {
  let left = [...cases];
  let all: CoverageReply | undefined;
  do {
    const reply: CoverageReply = await engine.call("cases/coverage", {
      scenario,
      cases: left,
      ...(all !== undefined && { former: all.former }),
    });
    if (!wanted()) return undefined;
    if (reply.done === 0 && left.length > 0) throw new Error("No test was evaluated.");
    left = left.slice(reply.done);
    all = { ...reply, elsewhere: reply.elsewhere + (all?.elsewhere ?? 0) };
  } while (left.length > 0);
  return all;
}

/** What there is to say of all. */
export function noteOf({ gaps, targets, elsewhere }: CoverageReply): string {
  const parts: string[] = [];
  if (targets === 0) parts.push("The policies have no expression.");
  else if (gaps.length === 0) parts.push("Every expression ran, and every boolean part was both true and false.");
  else parts.push("No test covers these parts of the policies:");
  if (elsewhere > 0)
    parts.push(
      `${elsewhere === 1 ? "1 test has" : `${String(elsewhere)} tests have`} other policies and do not count here.`,
    );
  return parts.join(" ");
}
