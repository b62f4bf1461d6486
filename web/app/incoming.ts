// What is pasted, dropped or opened goes to the texts that it belongs to; one line
// says what was done, with the way back. The engine sorts it (engine/scenario).

import type { Dropped } from "./drop.ts";
import type { PastedText } from "./editor.ts";
import type { EngineClient } from "./engine-client.ts";
import { notice, type Choice } from "./notice.ts";
import type { Given, Paste, Scenario } from "./protocol.ts";
import { TEXTS, type TextName } from "./texts.ts";

/** What is shorter than this holds no document, in characters. */
const SHORT = 20;

export interface IncomingEvents {
  scenario(): Scenario;
  /** Whether a scenario is an example that nobody has changed. */
  isExample(scenario: Scenario): boolean;
  /** Makes the texts and settings those of a scenario, as changes by the reader. */
  put(scenario: Scenario): void;
  /** Shows another scenario; what was there stays in the history. */
  restore(scenario: Scenario, hash: string): void;
  select(text: TextName): void;
}

export class Incoming {
  readonly #engine: EngineClient;
  readonly #events: IncomingEvents;

  constructor(engine: EngineClient, events: IncomingEvents) {
    this.#engine = engine;
    this.#events = events;
  }

  /** Sorts what was pasted into a text, unless it belongs there as it is. */
  async paste(into: TextName, { was, before, text, after }: PastedText): Promise<void> {
    if (text.length < SHORT) return;
    const former = { ...this.#events.scenario(), [into]: was };
    const example = this.#events.isExample(former);
    const { hash } = location;
    const paste = { given: { scenario: former, into }, text, before, after, example };
    await this.#sort(paste, into, { ...former, [into]: before + text + after }, hash);
  }

  /** Puts what was pasted into its texts, unless the reader has gone on; there is what the texts hold now. */
  async #sort(paste: Paste, target: TextName, there: Scenario, hash: string): Promise<void> {
    const { scenario: former = {} } = paste.given;
    const now = this.#events.scenario;
    const sorted = await this.#engine.call("paste", paste).catch((error: unknown) => String(error));
    if (typeof sorted === "string") return notice(sorted);
    if (sorted.own === true || TEXTS.some((t) => (now()[t] ?? "") !== (there[t] ?? ""))) return;
    this.#events.put(sorted.scenario);
    const show = TEXTS.find((t) => t === sorted.show);
    if (show !== undefined) this.#events.select(show);
    const again = (given: Partial<Given>): void => {
      void this.#sort({ ...paste, given: { ...paste.given, ...given } }, target, now(), hash);
    };
    const { candidates = [], webhooks = [], chosen = 0 } = sorted;
    let choice: Choice | undefined;
    if (webhooks.length > 0) {
      choice = {
        label: "Webhook",
        options: webhooks,
        chosen: 0,
        choose: (n) => again({ webhook: webhooks[n - 1] ?? "" }),
      };
    } else if (candidates.length > 0) {
      choice = { label: "Request", options: candidates, chosen, choose: (n) => again({ request: n }) };
    }
    const undo = {
      name: "Undo",
      run: (): void => {
        if (sorted.emptied === true) this.#events.restore(former, hash);
        else this.#events.put(former);
        this.#events.select(target);
      },
    };
    notice(sorted.summary, sorted.refused === true ? undefined : undo, choice);
  }

  /** Opens files: a scenario, or manifests, which go beside the reader's own texts and replace an example. */
  async open(files: Dropped): Promise<void> {
    try {
      const former = this.#events.scenario();
      const { hash } = location;
      const { scenario, problems, manifests, summary } = await this.#engine.call("open", files);
      const replaced = manifests === true && this.#events.isExample(former);
      const kept = replaced ? { kubernetes: former.kubernetes ?? "" } : former;
      this.#events.restore(manifests === true ? { ...kept, ...scenario } : scenario, "");
      const first = TEXTS.find((t) => scenario[t]);
      if (manifests === true && first !== undefined) this.#events.select(first);
      const gone = replaced ? "The example is gone: your own scenario begins with this." : "";
      const told = [summary, gone].filter(Boolean).join(" ");
      if (told !== "") notice(told, { name: "Undo", run: () => this.#events.restore(former, hash) });
      else if (problems?.[0] !== undefined) notice(problems[0]);
    } catch (error) {
      notice(error instanceof Error ? error.message : String(error));
    }
  }
}
