// What is pasted, dropped or opened goes to the texts that it belongs to; one line
// says what was done, with the way back. The engine sorts it (engine/scenario).

import type { PathFile } from "./drop.ts";
import type { Dropped } from "./dropped.ts";
import type { PastedText } from "./editor.ts";
import type { EngineClient } from "./engine-client.ts";
import { notice, type Action, type Choice } from "./notice.ts";
import type { Case, Given, Paste, Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import type { Work } from "./store.ts";
import { TEXTS, type TextName } from "./texts.ts";
import { wayBack } from "./ways-in.ts";

/** What is shorter than this holds no document, in characters. */
const SHORT = 20;

export interface IncomingEvents {
  scenario(): Scenario;
  cases(): readonly Case[];
  /** Whether a scenario is an example that nobody has changed, or only emptied. */
  isExample(scenario: Scenario): boolean;
  /** The scenario as it was opened. */
  example(): Scenario;
  /** Makes the texts and settings those of a scenario, as changes by the reader. */
  put(scenario: Scenario): void;
  /** Shows another scenario; what was there stays in the history. */
  restore(work: Work, hash: string): void;
  select(text: TextName): void;
  /** Shows the document that decides, once that is known. */
  selectDecisive(): void;
  /** The text that is shown. */
  selected(): string;
  /** The way to the denial that is shown, if a text says it. */
  shownDenial(text: string): Action | undefined;
  /** Makes a table of many requests: a text, or files. */
  tableOfText(text: string): void;
  tableOfFiles(files: readonly File[]): void;
  /** Opens the tests, which have been read. */
  showTests(): void;
}

/** The texts that make a scenario another one when they are replaced. */
const REPLACED = ["policies", "request"] as const;

export class Incoming {
  readonly #engine: EngineClient;
  readonly #events: IncomingEvents;
  /** The texts of an example that the reader has emptied, to write others. */
  readonly #emptied = new Set<TextName>();

  /** Closes what was said last of a paste. */
  #close: (() => void) | undefined;

  constructor(engine: EngineClient, events: IncomingEvents) {
    this.#engine = engine;
    this.#events = events;
  }

  /** Sorts what was pasted into a text, unless it belongs there as it is. */
  async paste(into: TextName, { was, before, text, after }: PastedText): Promise<void> {
    if (text.length < SHORT) return;
    // Emptied first, then pasted into: that replaces what was there, too.
    const opened = this.#events.example()[into] ?? "";
    const replaced = { ...this.#events.scenario(), [into]: was.trim() === "" ? opened : was };
    const former = this.#events.isExample(replaced) ? replaced : { ...replaced, [into]: was };
    const cases = this.#events.cases();
    const example = this.#events.isExample(former);
    const { hash } = location;
    const paste = { given: { scenario: former, into }, text, before, after, example };
    await this.#sort(paste, into, { ...former, [into]: before + text + after }, () =>
      this.#events.restore({ scenario: former, cases }, hash),
    );
  }

  /** Notes which texts of an example the reader empties. */
  follow(): void {
    const now = this.#events.scenario();
    const example = this.#events.example();
    for (const text of REPLACED) {
      const was = example[text] ?? "";
      if (was.length >= SHORT && (now[text] ?? "").trim().length < SHORT) this.#emptied.add(text);
      else if (was === now[text]) this.#emptied.delete(text);
    }
  }

  /** What is typed in place of an example's policies or request begins a scenario of its own, as what is pasted does. */
  async typed(): Promise<void> {
    const scenario = this.#events.scenario();
    const example = this.#events.example();
    const into = REPLACED.find((t) => this.#emptied.has(t) && (scenario[t] ?? "").trim().length >= SHORT);
    if (into === undefined) return;
    const text = scenario[into] ?? "";
    const former = { ...scenario, [into]: example[into] ?? "" };
    if (!this.#events.isExample(former) || TEXTS.every((t) => t === into || (scenario[t] ?? "") === "")) return;
    const paste: Paste = { given: { scenario: former, into }, text, before: "", after: "", example: true };
    const sorted = await this.#engine.call("paste", paste).catch(() => undefined);
    const now = this.#events.scenario();
    if (sorted?.emptied !== true || TEXTS.some((t) => (now[t] ?? "") !== (scenario[t] ?? ""))) return;
    this.#emptied.delete(into);
    this.#events.put({ kubernetes: scenario.kubernetes ?? "", [into]: text });
    notice("Replaced the example with your own scenario.", {
      name: "Undo",
      run: (): void => this.#events.put({ ...former, [into]: this.#events.scenario()[into] ?? "" }),
    });
  }

  /**
   * Puts what was pasted into its texts; there is what the texts hold now. What the reader has
   * pasted or typed elsewhere meanwhile stays, and in one of these texts it goes before.
   */
  async #sort(paste: Paste, target: TextName, there: Scenario, back: () => void): Promise<void> {
    const {
      given: { scenario: former = {} },
      example,
    } = paste;
    const now = this.#events.scenario;
    const shown = this.#events.selected();
    const closeEarlier = this.#close;
    const denial = this.#events.shownDenial(paste.text); // before the text itself counts
    const sorted = await this.#engine.call("paste", paste).catch((error: unknown) => String(error));
    if (typeof sorted === "string") return void notice(sorted);
    if (sorted.own === true) return closeEarlier?.(); // Undo would be about that, not about this
    const later: Scenario = {};
    for (const text of [...TEXTS, "title", "description"] as const) {
      const [is, was, put] = [now()[text] ?? "", there[text] ?? "", sorted.scenario[text] ?? ""];
      if (is === was) continue;
      // The reader has gone on in a text that this is about.
      if (put !== was && !(sorted.emptied === true && put === "")) return;
      later[text] = is;
    }
    this.#events.put({ ...sorted.scenario, ...later });
    const show = TEXTS.find((t) => t === sorted.show);
    // Who has gone to another text meanwhile stays there.
    if (show !== undefined && this.#events.selected() === shown) {
      this.#events.select(show);
      if (sorted.emptied === true || TEXTS.every((t) => !former[t])) this.#events.selectDecisive(); // all is new
    }
    const again = (given: Partial<Given>): void => {
      void this.#sort({ ...paste, given: { ...paste.given, ...given } }, target, now(), back);
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
      choice = {
        label: "Request",
        options: candidates,
        chosen,
        choose: (n) => again({ request: n }),
        all: { name: `Table of all ${String(candidates.length)}`, run: () => this.#events.tableOfText(paste.text) },
      };
    }
    const undo = {
      name: "Undo",
      run: (): void => {
        if (sorted.emptied === true) back();
        else this.#events.put({ ...former, ...later });
        this.#events.select(target);
      },
    };
    // Who tries a policy of their own on what they saw keeps the example's request.
    const keep = {
      name: "Keep the example's request",
      run: (): void =>
        this.#events.put({ ...now(), request: former.request ?? "", cluster: now().cluster || (former.cluster ?? "") }),
    };
    const kept = sorted.emptied === true && target === "policies" && (now().request ?? "") === "" && former.request;
    // What is shown is still about the texts from before.
    const whose = example ? "The example" : "Your text";
    const stays = sorted.refused === true && TEXTS.some((t) => former[t]) ? ` ${whose} stays as it was.` : "";
    if (sorted.refused === true && denial !== undefined) return void notice("This is the denial shown.", denial);
    this.#close = notice(
      sorted.summary + stays,
      sorted.refused === true ? wayBack() : undo,
      choice,
      sorted.commands,
      kept ? keep : undefined,
    );
  }

  /** Opens files: a scenario, manifests, tests, or a table of many requests. */
  async open(files: readonly PathFile[]): Promise<void> {
    try {
      const { sort } = await import("./dropped.ts");
      const sorted = await sort(files);
      if (sorted.kind === "table") this.#events.tableOfFiles(sorted.files);
      else if (sorted.kind === "tests") await this.#openTests(sorted.texts);
      else {
        const scenario = this.#events.scenario();
        const former = { scenario, cases: this.#events.cases(), hash: location.hash };
        const all = files.map(({ file }) => file);
        await this.#openScenario(sorted.texts, all, former, this.#events.isExample(scenario), 0);
      }
    } catch (error) {
      notice(reasonOf(error));
    }
  }

  /** Opens a scenario, or manifests, which go beside the reader's own texts and replace an example. */
  async #openScenario(
    texts: Dropped,
    files: readonly File[],
    former: Work & { hash: string },
    example: boolean,
    request: number,
  ): Promise<void> {
    const opened = await this.#engine.call("open", { files: texts, request });
    const { scenario, problems, manifests, summary, commands = [], candidates = [], chosen = 0 } = opened;
    if (manifests === true && TEXTS.every((t) => !scenario[t])) {
      notice(problems?.[0] ?? "These files are empty.", undefined, undefined, commands); // what was there stays
      return;
    }
    const beside = manifests === true && !example;
    const kept = beside ? former.scenario : { kubernetes: former.scenario.kubernetes ?? "" };
    this.#events.restore(
      { scenario: manifests === true ? { ...kept, ...scenario } : scenario, cases: beside ? former.cases : [] },
      "",
    );
    const first = TEXTS.find((t) => scenario[t]);
    if (manifests === true && first !== undefined) this.#events.select(first);
    const gone = manifests === true && example && request === 0 ? "Replaced the example with your own scenario." : "";
    const message = [summary, gone].filter(Boolean).join(" ");
    const undo = { name: "Undo", run: (): void => this.#events.restore(former, former.hash) };
    const choice =
      candidates.length === 0
        ? undefined
        : {
            label: "Request",
            options: candidates,
            chosen,
            choose: (n: number): void => void this.#openScenario(texts, files, former, example, n),
            all: {
              name: `Table of all ${String(candidates.length)}`,
              run: (): void => this.#events.tableOfFiles(files),
            },
          };
    if (message !== "") notice(message, undo, choice);
    else if (problems?.[0] !== undefined) notice(problems[0]);
  }

  /** Opens folders with expected.yaml: the policies and their tests. */
  async #openTests(texts: Dropped): Promise<void> {
    const former = { scenario: this.#events.scenario(), cases: this.#events.cases() };
    const { hash } = location;
    const { scenario, cases, problems = [] } = await this.#engine.call("cases/open", texts);
    this.#events.restore({ scenario, cases }, "");
    this.#events.showTests();
    const count = cases.length === 1 ? "1 test" : `${String(cases.length)} tests`;
    notice([`Opened ${count}.`, ...problems.slice(0, 3)].join(" "), {
      name: "Undo",
      run: () => this.#events.restore(former, hash),
    });
  }
}
