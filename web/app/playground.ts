// The playground: editors on one side, the result on the other. This module
// only connects the parts; each part is a module of its own.

import { byID } from "./dom.ts";
import { installDiffKind } from "./diff-kind.ts";
import { installDivider } from "./divider.ts";
import { Editor, type PastedText } from "./editor.ts";
import { EngineClient, EngineLost, Superseded } from "./engine-client.ts";
import { EngineStatus } from "./engine-state.ts";
import { ExampleMenu } from "./examples.ts";
import { installDrop, type Dropped } from "./drop.ts";
import { helpFor } from "./help.ts";
import { HINTS } from "./hints.ts";
import { installKeys } from "./keyboard.ts";
import { languageOf } from "./languages.ts";
import { LimitsSearch } from "./limits.ts";
import { decodeLink, isLink, LinkError } from "./link.ts";
import { describe } from "./markup.ts";
import { hideNotice, notice, type Choice } from "./notice.ts";
import { installOffline } from "./offline.ts";
import { notesOf } from "./notes.ts";
import {
  VERSIONS,
  type AnyText,
  type Evaluated,
  type Given,
  type Paste,
  type Scenario,
  type Span,
} from "./protocol.ts";
import { Pace } from "./pace.ts";
import { ProposeView } from "./propose.ts";
import { RequestForm } from "./request-form.ts";
import { ResultPane } from "./result.ts";
import { Settings } from "./settings.ts";
import { ShareDialog } from "./share.ts";
import { fromHistory, keep, kept, opened, push, same } from "./store.ts";
import { installTabs, type Tabs } from "./tabs.ts";
import { TEXTS, textNamed, type TextName } from "./texts.ts";
import { installTheme } from "./theme.ts";
import { VersionsView } from "./versions.ts";

/** The address of a scenario without texts, and what stands above it. */
const EMPTY = "#new";
const START = "Paste policies under Policies and an object under Request: the answer follows while you type.";

/** What is shorter than this holds no document, in characters. */
const SHORT = 20;

const LABELS: Record<TextName, string> = {
  policies: "Policies, YAML",
  request: "Request, YAML",
  cluster: "Cluster, YAML",
  expression: "Expression, CEL",
};

class Playground {
  readonly #editors: Record<TextName, Editor>;
  readonly #engine: EngineClient;
  readonly #result: ResultPane;
  readonly #inputTabs: Tabs;
  readonly #viewTabs: Tabs;
  readonly #version = byID("kubernetes", HTMLSelectElement);
  readonly #context = byID("expression-context", HTMLSelectElement);
  readonly #share: ShareDialog;
  readonly #versions: VersionsView;
  readonly #form: RequestForm;
  readonly #settings: Settings;
  readonly #propose: ProposeView;
  readonly #examples: ExampleMenu;
  readonly #limits: LimitsSearch;
  /** What the editors do not show: title, settings. */
  #rest: Scenario = {};
  #reply: Evaluated | undefined;
  readonly #pace = new Pace();
  /** A result of this scenario is on the page, from before a text was broken. */
  #shown = false;
  /** An evaluation is about to begin. */
  #due = false;

  constructor() {
    const { engine, engineBytes, worker } = document.body.dataset;
    const status = new EngineStatus(() => this.#engine.start());
    this.#engine = new EngineClient({
      workerURL: worker ?? "",
      engineURL: engine ?? "",
      engineBytes: Number(engineBytes),
      onState: (state) => {
        status.show(state);
        if (state.name === "ready") installOffline();
      },
    });
    this.#engine.start(); // loads while the rest of the page is made
    this.#editors = this.#makeEditors();
    this.#result = new ResultPane({
      onJump: (text, span) => this.#jump(text, span),
      onFix: (problem, fix) => this.#fix(problem, fix),
      onStep: () => this.#viewTabs.select("steps"),
      visible: () => this.#viewTabs.selected,
      render: (id, parts, urgent) => this.#engine.call("render", { id, parts }, urgent ? "render" : undefined),
      onGone: () => void this.evaluate(),
    });
    this.#inputTabs = installTabs(byID("input-tabs", HTMLElement), () => undefined);
    this.#viewTabs = installTabs(byID("view-tabs", HTMLElement), (view) => this.#onView(view));
    this.#versions = new VersionsView(this.#engine);
    this.#share = new ShareDialog(this.#engine, () => this.scenario);
    this.#form = new RequestForm(
      this.#engine,
      () => this.scenario,
      (text) => this.#replaceRequest(text),
    );
    this.#settings = new Settings(() => this.#changed(true));
    this.#propose = new ProposeView(this.#engine, () => this.scenario, {
      onPolicy: (policy, place) => this.#usePolicy(policy, place),
      onOpen: () => this.#viewTabs.select("object"),
    });
    this.#limits = new LimitsSearch(this.#engine, (steps) => this.#result.showSteps(steps));
    this.#examples = new ExampleMenu((scenario, slug) => this.#restore(scenario, `#example=${slug}`));
    this.#install();
  }

  get scenario(): Scenario {
    const { options: _, ...rest } = this.#rest;
    const scenario: Scenario = { ...rest, kubernetes: this.#version.value };
    const options = this.#settings.value;
    if (options !== undefined) scenario.options = options;
    for (const text of TEXTS) scenario[text] = this.#editors[text].text;
    if (scenario.expression) scenario.expressionContext = this.#context.value;
    return scenario;
  }

  #makeEditors(): Record<TextName, Editor> {
    const make = (text: TextName): Editor => {
      const host = document.querySelector<HTMLElement>(`[data-editor=${text}]`);
      if (host === null) throw new Error(`the page has no place for ${text}`);
      return new Editor({
        host,
        label: LABELS[text],
        text: host.querySelector("pre")?.textContent ?? "",
        hint: HINTS[text],
        language: [languageOf(text), helpFor(text, this.#engine, () => this.scenario)],
        onChange: (pasted) => this.#changed(pasted),
        onPaste: (paste) => void this.#paste(text, paste),
        onResult: (offset) => this.#showResult(text, offset),
      });
    };
    return {
      policies: make("policies"),
      request: make("request"),
      cluster: make("cluster"),
      expression: make("expression"),
    };
  }

  #install(): void {
    installTheme();
    installDiffKind();
    installDivider(byID("divider", HTMLElement), byID("workbench", HTMLElement));
    installDrop(document.body, byID("open-files", HTMLInputElement), (files) => void this.#open(files));
    installKeys({
      evaluate: () => void this.evaluate(),
      share: () => this.#share.open(),
      copyLink: () => void this.#share.copyLink(),
      nextProblem: (backwards) => this.#nextProblem(backwards),
      selectInput: (index) => this.#inputTabs.select(TEXTS[index] ?? "policies", true),
      selectView: (index) =>
        this.#viewTabs.select(["steps", "object", "diff", "answer", "versions"][index] ?? "steps", true),
    });
    byID("share", HTMLButtonElement).addEventListener("click", () => this.#share.open());
    this.#version.addEventListener("change", () => this.#changed(true));
    this.#context.addEventListener("change", () => this.#changed(true));
    window.addEventListener("popstate", () => void this.open());
    window.addEventListener("pagehide", () => keep(this.scenario));
  }

  /** Shows what the address, the history or the last visit say, and evaluates it. */
  async open(): Promise<void> {
    const found = await this.#find();
    if (found !== undefined) {
      if (!same(found, this.scenario)) this.#result.wait();
      this.#apply(found);
    }
    opened(this.scenario);
    await this.evaluate();
  }

  async #find(): Promise<Scenario | undefined> {
    const last = kept();
    const there = fromHistory();
    if (there !== undefined) return there;
    if (last !== undefined && last.hash === location.hash) return last.scenario;
    const told: string[] = [];
    const opened = await this.#fromAddress().catch((error: unknown) => {
      // A damaged link is explained; it is never replaced by an example.
      if (!(error instanceof LinkError)) throw error;
      told.push(error.message);
      return {};
    });
    if (opened === undefined) return last?.scenario;
    const back =
      last === undefined || same(last.scenario, opened)
        ? undefined
        : { name: "Go back to it", run: (): void => this.#restore(last.scenario, last.hash) };
    if (back !== undefined) told.push("Your earlier text is kept.");
    if (told.length > 0) notice(told.join(" "), back);
    return opened;
  }

  async #fromAddress(): Promise<Scenario | undefined> {
    const hash = location.hash;
    if (isLink(hash)) return decodeLink(hash);
    if (hash === EMPTY) return {};
    const slug = /^#example=([a-z0-9-]+)$/.exec(hash)?.[1];
    return slug === undefined ? undefined : this.#examples.fetch(slug);
  }

  /** Shows another scenario; what was there stays in the history. */
  #restore(scenario: Scenario, hash: string): void {
    keep(this.scenario);
    push(scenario, hash);
    this.#load(scenario);
  }

  #load(scenario: Scenario): void {
    hideNotice();
    this.#apply(scenario);
    opened(this.scenario);
    void this.evaluate();
  }

  #apply(scenario: Scenario): void {
    this.#rest = scenario;
    this.#shown = false;
    for (const text of TEXTS) this.#editors[text].setText(scenario[text] ?? "");
    this.#version.value = scenario.kubernetes || (VERSIONS[0] ?? "");
    this.#settings.show(scenario.options);
    this.#context.value = scenario.expressionContext || "validation";
    byID("scenario-title", HTMLElement).textContent = scenario.title || "Your scenario";
    const empty = !TEXTS.some((t) => scenario[t]);
    byID("scenario-description", HTMLElement).replaceChildren(
      ...describe(empty ? START : (scenario.description ?? "")),
    );
    const first = TEXTS.find((t) => scenario[t]);
    if (!scenario[textNamed(this.#inputTabs.selected) ?? "policies"] && first) this.#inputTabs.select(first);
  }

  #changed(atOnce: boolean): void {
    if (!atOnce) this.#pace.typed();
    this.#limits.stop();
    if (this.#due) return; // one change may concern several texts
    this.#due = true;
    // After the editor has asked for completions, which are missed first.
    window.setTimeout(() => {
      this.#due = false;
      void this.evaluate();
    }, 0);
  }

  /** Evaluates what the editors hold and shows the result. */
  async evaluate(): Promise<void> {
    const scenario = this.scenario;
    this.#pace.whenPaused("keep", () => keep(scenario));
    try {
      const reply = await this.#engine.evaluate(scenario, this.#result.part, this.#result.report);
      this.#pace.show(reply, () => this.#show(reply, scenario));
    } catch (error) {
      if (error instanceof Superseded) return;
      const advice = error instanceof EngineLost ? " Change the text to try again." : "";
      this.#result.setStale(`${error instanceof Error ? error.message : String(error)}${advice}`);
    }
  }

  /** Shows the result of a scenario. */
  #show(reply: Evaluated, scenario: Scenario): void {
    this.#reply = reply;
    const { report } = reply;
    this.#badges();
    for (const text of TEXTS) {
      const editor = this.#editors[text];
      if (editor.text !== scenario[text]) continue; // the result of what stands there now is on its way
      editor.showProblems(
        report.diagnostics.filter((d) => d.text === text),
        {
          onFix: (d, fix) => this.#fix(report.diagnostics.indexOf(d), fix),
          onJump: (place) => this.#jump(place.text, place.span),
        },
      );
      if (reply.broken === undefined) editor.showNotes(notesOf(report, text, editor.offsets));
    }
    if (reply.broken !== undefined && this.#shown) {
      this.#result.showProblems(reply.html.problems);
      this.#result.setStale(`The ${reply.broken} text cannot be read. This is the last result before that.`);
      return;
    }
    this.#result.show(reply);
    if (reply.broken !== undefined)
      this.#result.setStale(
        `The ${reply.broken} text cannot be read. This is the result without what is broken in it.`,
      );
    else this.#shown = report.request !== undefined;
    this.#form.show(report);
    this.#pace.whenPaused("follow", () => {
      void this.#result.complete();
      this.#propose.show(reply);
      this.#versions.invalidate();
      this.#onView(this.#viewTabs.selected);
      this.#limits.start(scenario);
    });
  }

  #onView(view: string): void {
    if (view === "versions") this.#versions.open(this.scenario);
    else void this.#result.open(view);
  }

  /** The number of problems on each tab. */
  #badges(): void {
    for (const badge of document.querySelectorAll<HTMLElement>("[data-badge]")) {
      const problems = this.#reply?.report.diagnostics.filter((d) => d.text === badge.dataset["badge"]) ?? [];
      badge.textContent = problems.length > 0 ? String(problems.length) : "";
      badge.title = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
      badge.classList.toggle(
        "is-error",
        problems.some((d) => d.severity === "error"),
      );
    }
  }

  #jump(text: AnyText, span: Span): void {
    if (text === "scenario") return;
    if (text === "request") this.#form.showWhole();
    this.#inputTabs.select(text);
    this.#editors[text].reveal(span);
  }

  /** From an expression in a text to its result. */
  #showResult(text: TextName, offset: number): void {
    this.#viewTabs.select("steps");
    void this.#result.showExpression(text, offset, this.#editors[text].offsets.lineAt(offset));
  }

  /** Puts a proposed policy into the policies, at the end or in a place; the way back is offered. */
  #usePolicy(policy: string, place: Span | undefined): void {
    const editor = this.#editors.policies;
    const before = editor.text;
    const separator = before.trim() === "" ? "" : before.endsWith("\n") ? "---\n" : "\n---\n";
    const end = editor.offsets.toBytes(before.length);
    const edit =
      place === undefined
        ? { span: { start: end, end }, new: separator + policy }
        : { span: place, new: policy.trimEnd() };
    editor.applyEdits([edit]);
    this.#inputTabs.select("policies");
    const start = edit.span.start + (place === undefined ? separator.length : 0);
    editor.reveal({ start, end: start });
    notice("Added the policy and its binding.", { name: "Undo", run: () => editor.change(before) });
  }

  #fix(problem: number, fix: number): void {
    const edits = this.#reply?.report.diagnostics[problem]?.fixes?.[fix]?.edits ?? [];
    for (const text of TEXTS) {
      const own = edits.filter((e) => e.text === text);
      if (own.length > 0) this.#editors[text].applyEdits(own);
    }
  }

  #nextProblem(backwards: boolean): void {
    const problems = this.#reply?.report.diagnostics ?? [];
    if (problems.length === 0) return;
    const current = textNamed(this.#inputTabs.selected) ?? "policies";
    const position = this.#editors[current].cursor;
    const order = (d: { text: AnyText; span: Span }): number =>
      TEXTS.findIndex((t) => t === d.text) * 2 ** 32 + d.span.start;
    const here = order({ text: current, span: { start: position, end: position } });
    const sorted = [...problems].sort((a, b) => order(a) - order(b));
    const next = backwards
      ? (sorted.findLast((d) => order(d) < here) ?? sorted.at(-1))
      : (sorted.find((d) => order(d) > here) ?? sorted[0]);
    if (next !== undefined) this.#jump(next.text, next.span);
  }

  #replaceRequest(text: string): void {
    this.#editors.request.change(text); // which counts as a change by the reader
  }

  /** Sorts what was pasted into a text, unless it belongs there as it is. */
  async #paste(into: TextName, { was, before, text, after }: PastedText): Promise<void> {
    if (text.length < SHORT) return;
    const former = { ...this.scenario, [into]: was };
    await this.#sort({ given: { scenario: former, into }, text, before, after }, before + text + after);
  }

  /** Puts what was pasted into its texts, unless the reader has gone on; there is what the text has now. */
  async #sort(paste: Paste, there: string): Promise<void> {
    const { scenario: former = {}, into } = paste.given;
    const target = TEXTS.find((t) => t === into);
    if (target === undefined) return;
    const sorted = await this.#engine.call("paste", paste).catch((error: unknown) => String(error));
    if (typeof sorted === "string") return notice(sorted);
    if (sorted.own === true || this.#editors[target].text !== there) return;
    this.#put(sorted.scenario);
    const show = TEXTS.find((t) => t === sorted.show);
    if (show !== undefined) this.#inputTabs.select(show);
    const again = (given: Partial<Given>): void => {
      void this.#sort({ ...paste, given: { ...paste.given, ...given } }, this.#editors[target].text);
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
        this.#put(former);
        this.#inputTabs.select(target);
      },
    };
    notice(sorted.summary, sorted.refused === true ? undefined : undo, choice);
  }

  /** Makes the texts and settings those of a scenario, as changes by the reader. */
  #put(scenario: Scenario): void {
    for (const text of TEXTS) this.#editors[text].change(scenario[text] ?? "");
    this.#settings.show(scenario.options);
    if (scenario.kubernetes) this.#version.value = scenario.kubernetes;
    this.#changed(true);
  }

  /** Opens files that were dropped: a scenario, or manifests that take the place of texts. */
  async #open(files: Dropped): Promise<void> {
    try {
      const former = this.scenario;
      const { scenario, problems, manifests, summary } = await this.#engine.call("open", files);
      this.#restore(manifests === true ? { ...this.scenario, ...scenario } : scenario, "");
      const first = TEXTS.find((t) => scenario[t]);
      if (manifests === true && first !== undefined) this.#inputTabs.select(first);
      if (summary) notice(summary, { name: "Undo", run: () => this.#restore(former, "") });
      else if (problems?.[0] !== undefined) notice(problems[0]);
    } catch (error) {
      notice(error instanceof Error ? error.message : String(error));
    }
  }
}

void new Playground().open();
document.documentElement.dataset["app"] = "";
