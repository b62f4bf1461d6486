// A small playground, for embedded examples and the tour's lessons: one editor at a time, with the
// outcome below. It loads the engine when the reader changes something or clicks Run.

import { byID } from "./dom.ts";
import { Editor } from "./editor.ts";
import { lineRanges, type PASSED_ON } from "./embed-attributes.ts";
import { EditorNotes } from "./editor-notes.ts";
import { EngineClient, Superseded } from "./engine-client.ts";
import { EngineStatus } from "./engine-state.ts";
import { fixAll } from "./fix-all.ts";
import { HINTS } from "./hints.ts";
import { languageOf } from "./languages.ts";
import { encodeLink } from "./link.ts";
import { metered } from "./metered.ts";
import type { Evaluated, Report, Scenario, Sight, Span } from "./protocol.ts";
import { Pace } from "./pace.ts";
import { reasonOf } from "./reason.ts";
import { partNamed, ResultPane } from "./result.ts";
import { installTabs, type Tabs } from "./tabs.ts";
import { brokenNote, TEXTS, textNamed, type TextName } from "./texts.ts";

/** What makes one small playground another than the next. */
export interface EmbedOptions {
  /** What it begins with. */
  load(): Promise<Scenario>;
  /** The value of an attribute; null when it is not there. */
  option(name: (typeof PASSED_ON)[number]): string | null;
  /** The engine of the page around; undefined makes one. */
  port?: BroadcastChannel;
  /** Evaluate at once. */
  run: boolean;
  onReady?(): void;
  onChange?(scenario: Scenario): void;
  /** The result of a scenario is shown, and the reader does not type. */
  onResult?(scenario: Scenario): void;
}

export class Embed {
  readonly #options: EmbedOptions;
  readonly #engine: EngineClient;
  readonly #result: ResultPane;
  readonly #tabs: Tabs;
  readonly #views: Tabs;
  #editors = new Map<TextName, Editor>();
  readonly #notes: EditorNotes;
  #scenario: Scenario = {};
  /** Ends when the scenario is there, or could not be had: a click on Run may come before. */
  #loading: Promise<unknown> = Promise.resolve();
  #report: Report | undefined;
  readonly #pace = new Pace();
  readonly #status: EngineStatus;

  constructor(options: EmbedOptions) {
    this.#options = options;
    const { engine, engineBytes, worker } = document.body.dataset;
    this.#status = new EngineStatus(() => this.#engine.start());
    this.#engine = new EngineClient({
      ...(options.port && { port: options.port }),
      workerURL: worker ?? "",
      engineURL: engine ?? "",
      engineBytes: Number(engineBytes),
      onState: (state) => {
        this.#status.show(state);
        if (state.name === "ready") options.onReady?.();
      },
      metered: metered(),
      onRegistry: () => void this.evaluate(),
    });
    this.#notes = new EditorNotes(this.#engine, () => this.#editors);
    this.#result = new ResultPane({
      onJump: (text, span) => this.#jump(text, span),
      onFix: (of, index, fix) => this.#fix(of, index, fix),
      onFixAll: () =>
        void fixAll(
          this.#engine,
          () => this.scenario,
          (fixed) => this.put(fixed),
        ),
      onStep: () => {
        this.#unfold();
        this.#views.select("steps");
      },
      onText: (text) => this.#jump(text, { start: 0, end: 0 }),
      visible: () => this.#views.selected,
      render: (params, urgent) => this.#engine.call("render", params, urgent ? "render" : undefined),
      unfold: (params) => this.#engine.call("unfold", params, `unfold ${params.key}`),
      onGone: () => void this.evaluate(),
      onLoad: () => this.#engine.loadRegistry(),
    });
    this.#tabs = installTabs(byID("input-tabs", HTMLElement), () => undefined);
    this.#views = installTabs(byID("view-tabs", HTMLElement), (view) => void this.#result.open(view));
    byID("run", HTMLButtonElement).addEventListener("click", () => void this.#loading.then(() => this.evaluate()));
  }

  async open(): Promise<void> {
    try {
      const loading = this.#options.load();
      this.#loading = loading.catch(() => undefined);
      this.#scenario = await loading;
    } catch (error) {
      this.#result.setStale(reasonOf(error));
      return;
    }
    for (const text of TEXTS) this.#show(text);
    // An expression is what its reader came for.
    const file = [this.#options.option("file"), "expression" as const, ...TEXTS]
      .map((name) => textNamed(name ?? undefined))
      .find((text) => text !== undefined && this.#scenario[text]);
    if (file !== undefined) {
      this.#result.showFirst(file === "expression" ? file : "outcome");
      this.#tabs.select(file);
      const lines = lineRanges(this.#options.option("lines") ?? "");
      if (lines !== undefined) this.#editors.get(file)?.focusLines(lines);
    }
    const view = partNamed(this.#options.option("view") ?? "");
    this.#views.select(view ?? "steps");
    if (view !== undefined || this.#options.option("unfold") !== null) this.#unfold();
    byID("open-in-playground", HTMLAnchorElement).href = this.#link();
    if (this.#options.run) await this.evaluate();
  }

  get engine(): EngineClient {
    return this.#engine;
  }

  /** Makes the editor of a text, or hides its tab when it is empty. */
  #show(text: TextName): void {
    const content = this.#scenario[text] ?? "";
    byID(`tab-${text}`, HTMLElement).hidden = content === "";
    if (content === "") return;
    const host = document.querySelector<HTMLElement>(`[data-editor=${text}]`);
    if (host === null) return;
    const readOnly = this.#options.option("readonly") !== null;
    this.#editors.set(
      text,
      new Editor({
        host,
        label: text,
        text: content,
        hint: HINTS[text],
        language: languageOf(text, this.#scenario.expressionContext),
        readOnly,
        onChange: (pasted) => this.#changed(pasted),
        onSight: () => this.#notes.follow(),
      }),
    );
  }

  /** What the editors hold. */
  get scenario(): Scenario {
    const scenario = { ...this.#scenario };
    for (const [text, editor] of this.#editors) scenario[text] = editor.text;
    return scenario;
  }

  #link(): string {
    try {
      return `/${encodeLink(this.scenario)}`;
    } catch {
      return "/"; // too large for a link: the playground opens empty
    }
  }

  #changed(atOnce: boolean): void {
    if (!atOnce) this.#pace.typed();
    this.#options.onChange?.(this.scenario);
    void this.evaluate();
  }

  /** Puts texts in place of those that have an editor, as changes by the reader. */
  put(scenario: Scenario): void {
    for (const [text, editor] of this.#editors) editor.change(scenario[text] ?? "");
  }

  /** Applies a repair of the result that is shown. */
  #fix(of: "problem" | "assumed", index: number, fix: number): void {
    const list = of === "problem" ? this.#report?.diagnostics : this.#report?.assumed;
    for (const [text, editor] of this.#editors) {
      const edits = list?.[index]?.fixes?.[fix]?.edits.filter((e) => e.text === text) ?? [];
      if (edits.length === 0 || this.#options.option("readonly") !== null) continue;
      editor.applyEdits(edits);
      this.#tabs.select(text);
    }
  }

  /** Evaluates what the editors hold and shows the result. */
  async evaluate(): Promise<void> {
    if (this.#engine.state.name === "idle") this.#engine.start();
    byID("run", HTMLElement).hidden = true;
    const scenario = this.scenario;
    this.#pace.whenPaused("link", () => (byID("open-in-playground", HTMLAnchorElement).href = this.#link()));
    try {
      const sights = this.#notes.sights(scenario);
      const reply = await this.#engine.evaluate(scenario, { ...this.#result.seen, in: sights });
      this.#pace.show(reply, () => this.#showResult(reply, scenario, sights));
    } catch (error) {
      this.#status.answered();
      if (!(error instanceof Superseded)) this.#result.setStale(reasonOf(error));
    }
  }

  #showResult(reply: Evaluated, scenario: Scenario, sights: Sight[]): void {
    this.#status.answered();
    this.#report = reply.report;
    this.#pace.whenPaused("checks", () => this.#options.onResult?.(scenario));
    this.#notes.show(reply, scenario, sights);
    if (reply.broken === undefined) {
      this.#result.show(reply);
      this.#pace.whenPaused("follow", () => void this.#result.complete());
    } else this.#result.setStale(brokenNote(reply.broken, false));
    byID("results", HTMLElement).classList.add("has-result", "is-answered"); // no longer what the build gave
  }

  #jump(text: TextName, span: Span): void {
    if (!this.#editors.has(text)) return;
    this.#tabs.select(text);
    this.#editors.get(text)?.reveal(span);
  }

  /** Shows the parts of the result, which an embedded example folds away. */
  #unfold(): void {
    const fold = document.getElementById("embed-fold");
    if (fold instanceof HTMLDetailsElement) fold.open = true;
  }
}
