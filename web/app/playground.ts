// The playground: editors on one side, the result on the other. This module
// only connects the parts; each part is a module of its own.

import { installAnswer } from "./answer.ts";
import { EXAMPLE, find, keptNotice, slugOf } from "./arrival.ts";
import { hideDamage, isDamageShown, showDamage } from "./damaged.ts";
import { byID, delay, whenDrawn } from "./dom.ts";
import { installDiffKind } from "./diff-kind.ts";
import { installWorkbenchDivider } from "./divider.ts";
import type { Editor } from "./editor.ts";
import { EditorNotes } from "./editor-notes.ts";
import { makeEditors } from "./editors.ts";
import { EndObject } from "./end-object.ts";
import { EngineClient, EngineLost, Superseded } from "./engine-client.ts";
import { Documents, nextPane } from "./documents.ts";
import { EngineStatus } from "./engine-state.ts";
import { ExampleMenu } from "./examples.ts";
import { withPaths } from "./drop.ts";
import { installFilm } from "./film.ts";
import { FirstAnswer } from "./first-answer.ts";
import { fixAll } from "./fix-all.ts";
import { installFunctions } from "./functions-open.ts";
import { takeHanded } from "./handed.ts";
import { IdleSearch } from "./idle-search.ts";
import { Incoming } from "./incoming.ts";
import { installKeys } from "./keyboard.ts";
import { installKept } from "./kept-open.ts";
import { LiveAddress } from "./live-address.ts";
import { LiveTools } from "./live-tools.ts";
import { ManyViews } from "./many-views.ts";
import { metered } from "./metered.ts";
import { installMore } from "./more.ts";
import { follow, hideNotice, notice, undo, type Action } from "./notice.ts";
import { isForeign } from "./own-links.ts";
import { installOffline } from "./offline.ts";
import type { Case, Evaluated, Options, Repaired, Scenario } from "./protocol.ts";
import { Pace } from "./pace.ts";
import type { Seen } from "./permalink.ts";
import { installProblemList } from "./problems.ts";
import { Propose } from "./propose-open.ts";
import { reasonOf } from "./reason.ts";
import { installReport } from "./report-open.ts";
import { completed, type ReplyParts } from "./reply-parts.ts";
import { RequestForm } from "./request-form.ts";
import { RequestExamples } from "./request-examples.ts";
import { ResultPane } from "./result.ts";
import { ScenarioHead } from "./scenario-head.ts";
import { Share } from "./share-open.ts";
import { isChanged, isUntouched, keep, lastOpened, opened, push, same, type Work } from "./store.ts";
import { TextEdits } from "./text-edits.ts";
import { brokenNote, RULES, TEXTS, type TextName } from "./texts.ts";
import { installTheme } from "./theme.ts";
import { reportTrouble } from "./trouble.ts";
import { TriedRepairs } from "./tried-repairs.ts";
import { installViews, type Views } from "./views.ts";
import { installWaysIn, offerBack } from "./ways-in.ts";
import { Workspace } from "./workspace.ts";

/** How long an evaluation takes that is hardly noticed, in milliseconds. */
const UNNOTICED = 100;

/** From this length on a text is large, in UTF-16 units. */
const LARGE = 200_000;

/**
 * How long a result is shown before longer lists are tried, in milliseconds: that takes seconds of
 * processor, for nothing while the text still changes.
 */
const LIMITS_REST = 1600;

/** How long a result is shown before the engine looks for what other requests will meet, in milliseconds. */
const FORESEE_REST = 500;

/** How long the texts wait for the result that the build gave, in milliseconds. */
const SOON = 1500;

class Playground {
  readonly #editors: Record<TextName, Editor>;
  readonly #edits: TextEdits;
  readonly #notes: EditorNotes;
  readonly #repairs: TriedRepairs;
  readonly #object: EndObject;
  readonly #engine: EngineClient;
  readonly #result: ResultPane;
  readonly #documents: Documents;
  readonly #viewTabs: Views;
  readonly #held: Workspace;
  readonly #share: Share;
  readonly #form: RequestForm;
  readonly #propose: Propose;
  readonly #examples: ExampleMenu;
  readonly #incoming: Incoming;
  readonly #limits: IdleSearch<"limits">;
  readonly #foresight: IdleSearch<"foresee">;
  readonly #tries: RequestExamples;
  readonly #address: LiveAddress;
  readonly #live: LiveTools;
  readonly #many: ManyViews;
  readonly #head = new ScenarioHead((title) => this.#retitle(title));
  /** What the page came with: its first example. */
  readonly #came: Scenario;
  /** What was opened is one of the examples. */
  #isExample = true;
  /** That example, and its name. */
  #example: { slug: string | undefined; scenario: Scenario };
  #reply: Evaluated | undefined;
  /** The parts of the last reply, which the next one may leave out. */
  #parts: ReplyParts | undefined;
  readonly #pace = new Pace(() => TEXTS.some((text) => this.#editors[text].completing));
  readonly #status: EngineStatus;
  /** The engine has answered once: what is on the page is not from the build. */
  #answered = false;
  /** The scenario whose verdict is on the page. */
  #decided: Scenario | undefined;
  /** The last evaluation took too long. */
  #slow = false;
  /** A result of this scenario is on the page, from before a text was broken. */
  #shown = false;
  /** A document is in the editor because the reader, or a result, has chosen it. */
  #chosen = true;
  /** An evaluation is about to begin. */
  #due = false;
  /** How long the last one took, in milliseconds. */
  #took = 0;
  readonly #first = new FirstAnswer();

  constructor() {
    const scenario = (): Scenario => this.scenario;
    const put = (changed: Scenario): void => this.#put(changed);
    const { engine, engineBytes, worker } = document.body.dataset;
    this.#status = new EngineStatus(() => this.#engine.start());
    this.#engine = new EngineClient({
      workerURL: worker ?? "",
      engineURL: engine ?? "",
      engineBytes: Number(engineBytes),
      onState: (state) => this.#status.show(state),
      metered: metered(),
      onRegistry: () => void this.evaluate(),
    });
    this.#first.whenGiven(() => {
      installOffline();
      this.#share.prepare();
    });
    window.addEventListener("online", () => this.#engine.networkIsBack());
    this.#engine.start(); // loads while the rest of the page is made
    this.#editors = makeEditors(this.#engine, {
      later: this.#first.soon,
      context: byID("expression-context", HTMLSelectElement).value,
      scenario,
      onChange: (pasted) => this.#changed(pasted),
      onPaste: (text, paste) => void this.#incoming.paste(text, paste),
      onResult: (text, offset) => this.#showResult(text, offset),
      onCursor: (text, offset) => {
        this.#documents.follow(text, offset);
        this.#result.markPart(text, offset);
      },
      onSight: () => this.#notes.follow(),
    });
    this.#held = new Workspace(this.#editors, this.#head.title, () => this.#changed(true));
    this.#object = new EndObject(
      this.#engine,
      () => this.#result.report,
      () => this.evaluate(),
    );
    this.#notes = new EditorNotes(this.#engine, () => TEXTS.map((text) => [text, this.#editors[text]]), {
      onFix: (problem, fix) => this.#edits.fix("problem", problem, fix),
      onJump: (text, span) => this.#edits.jump(text, span),
    });
    this.#incoming = new Incoming(this.#engine, {
      scenario,
      cases: () => this.#held.cases,
      isExample: (scenario) => this.#isExample && isUntouched(scenario, this.#example.scenario),
      example: () => this.#example.scenario,
      put,
      restore: (work, hash) => this.#restore(work, hash),
      select: (text) => {
        const writes = document.activeElement?.closest("[data-editor]");
        this.#documents.select(text);
        if (writes) this.#editors[text].focus(); // what is pasted next goes there
      },
      selectDecisive: () => {
        this.#chosen = false;
      },
      selected: () => this.#documents.selected,
      shownDenial: (text) => this.#shownDenial(text),
      tableOfText: (text) => this.#many.tableOfText(text),
      tableOfFiles: (files) => this.#many.tableOfFiles(files),
      showTests: () => this.#many.show("tests"),
    });
    this.#result = new ResultPane({
      onJump: (text, span) => this.#edits.jump(text, span),
      onPoint: (text, span) => {
        for (const name of TEXTS) this.#editors[name].point(name === text ? span : null);
      },
      onFix: (of, index, fix) => this.#edits.fix(of, index, fix),
      onFixAll: () => void fixAll(this.#engine, scenario, put),
      onOpenRequest: (problem) => this.#openRequest(problem),
      onStep: () => this.#viewTabs.select("steps"),
      onText: (text) => this.#edits.jump(text, { start: 0, end: 0 }),
      visible: () => this.#viewTabs.selected,
      render: (params, urgent) => this.#engine.call("render", params, urgent ? "render" : undefined),
      unfold: (params) => this.#engine.call("unfold", params, `unfold ${params.key}`),
      onLate: (late) => this.#showLate(late),
      onGone: () => void this.evaluate(),
      onLoad: () => this.#engine.loadRegistry(),
    });
    this.#repairs = new TriedRepairs(this.#engine, this.#pace, this.#notes, this.#result);
    this.#documents = new Documents({
      onSelect: (text) => this.#result.showFirst(text === "expression" ? "expression" : "outcome"),
      onDocument: (text, start) => {
        this.#edits.jump(text, { start, end: start });
      },
    });
    this.#viewTabs = installViews((view) => this.#onView(view));
    this.#edits = new TextEdits(this.#editors, this.#documents, {
      scenario,
      put,
      report: () => this.#reply?.report,
      onJump: () => {
        this.#chosen = true;
      },
      onRequest: () => this.#form.showWhole(),
      changeRequest: (change, done) => void this.#form.change(change, done),
    });
    this.#share = new Share(this.#engine, {
      scenario,
      cases: () => this.#held.cases,
      seen: () => this.#seen,
      put,
      report: () => this.#result.report,
      example: () => (same(this.scenario, this.#example.scenario) ? this.#example.slug : undefined),
    });
    this.#form = new RequestForm(
      this.#engine,
      scenario,
      (request, options) => this.#reformRequest(request, options),
      (why) => this.#result.setStale(why),
    );
    this.#live = new LiveTools(this.#engine, scenario, put);
    this.#many = new ManyViews(this.#engine, {
      scenario,
      cases: () => this.#held.cases,
      onCases: (cases) => this.#setCases(cases),
      onPlace: (span) => this.#edits.jump("policies", span),
      onRequest: ({ request, defaulting }) => this.#showRequest(request, defaulting),
      onFiles: (files) => void this.#incoming.open(withPaths(files)),
      select: (view) => this.#viewTabs.select(view),
    });
    this.#came = this.#decided = this.scenario;
    this.#example = { slug: document.body.dataset["example"], scenario: this.#came };
    this.#address = new LiveAddress(this.#engine, scenario);
    this.#propose = new Propose(this.#engine, scenario, {
      onPolicy: (policy, added, instead) => this.#edits.usePolicy(policy, added, instead),
      onOpen: () => this.#viewTabs.select("object"),
      object: () => this.#object.text(),
    });
    this.#limits = new IdleSearch(this.#engine, "limits", LIMITS_REST, ({ id }) => {
      if (id !== undefined) void this.#result.takeOver(id);
    });
    this.#foresight = new IdleSearch(this.#engine, "foresee", FORESEE_REST, ({ late, stops }) => {
      if (late !== undefined) this.#showLate(late);
      if (stops === true) this.#result.renew("steps");
    });
    this.#tries = new RequestExamples(this.#engine, (scenario) => {
      const former = this.scenario;
      const before = former.policies;
      this.#put(scenario);
      this.#documents.select("request");
      notice(before === scenario.policies ? "Added the request." : "Added the request and a binding that denies.", {
        name: "Undo",
        run: () => this.#put(former),
      });
    });
    this.#examples = new ExampleMenu((scenario, slug) => {
      const own = isChanged() ? this.#held.work : undefined;
      const { hash } = location;
      const { kubernetes } = this.#held;
      this.#restore({ scenario, cases: [] }, EXAMPLE + slug);
      let other = "";
      if (!scenario.kubernetes) this.#held.kubernetes = kubernetes;
      else if (scenario.kubernetes !== kubernetes) other = `This example is for Kubernetes ${scenario.kubernetes}.`;
      if (own !== undefined) keptNotice(() => this.#restore(own, hash), other);
      else if (other) notice(other);
    });
    this.#install();
  }

  get scenario(): Scenario {
    return this.#held.scenario;
  }

  #install(): void {
    installTheme();
    installDiffKind();
    installWorkbenchDivider();
    installMore();
    installProblemList();
    installFilm(
      this.#engine,
      () => this.#result.report,
      () => void this.evaluate(),
    );
    installReport(() => this.scenario);
    installAnswer(
      this.#engine,
      () => this.scenario,
      (scenario) => this.#put(scenario),
    );
    installWaysIn({
      work: () => this.#held.work,
      restore: (work, hash) => this.#restore(work, hash),
      open: (files) => void this.#incoming.open(files),
      table: (files) => this.#many.tableOfFiles(files),
      toText: (text) => {
        this.#documents.select(text);
        this.#editors[text].focus();
      },
    });
    follow(() => JSON.stringify(this.scenario));
    installKeys({
      evaluate: () => void this.evaluate(),
      copyLink: () => this.#share.copyLink(),
      nextProblem: (backwards) => this.#edits.nextProblem(backwards),
      selectInput: (index) => {
        this.#chosen = true;
        this.#documents.select(TEXTS[index] ?? "policies", true);
      },
      undo,
      format: () => void this.#format(),
      toText: () => this.#editors[this.#documents.selected].focus(),
      nextPane: (backwards) => nextPane(backwards, (text) => this.#editors[text].focus()),
      selectView: (index) => this.#viewTabs.advance(["steps", "object", "answer", "compare"][index] ?? "steps"),
    });
    installFunctions({
      kubernetes: () => this.#held.kubernetes,
      list: (kubernetes) => this.#engine.call("functions", kubernetes),
      insert: (code, context) => {
        if (context !== undefined) this.#held.expressionContext = context;
        this.#edits.insert(code);
      },
    });
    installKept({
      restore: (work) => this.#restore(work, ""),
      keep: () => void keep(this.#held.work),
      work: () => this.#held.work,
      whatIf: (params) => this.#engine.call("whatIf", params, "whatIf"),
    });
    byID("format", HTMLButtonElement).addEventListener("click", () => void this.#format());
    window.addEventListener("popstate", () => void this.open());
    window.addEventListener("pagehide", () => {
      if (lastOpened() !== undefined) this.#keep(); // what the build put there is not the address's work
    });
  }

  /** Shows what the address, the history or the last visit say, and evaluates it. */
  async open(): Promise<void> {
    const found = await find(this.#examples, (work, hash) => this.#restore(work, hash));
    let carried: Promise<void> | undefined;
    if (found !== undefined) {
      const other = !same(found.work.scenario, this.scenario);
      this.#apply(found.work);
      if (other) carried = this.#wait();
    }
    opened(this.#held.work);
    showDamage(found?.damaged, (scenario) => this.#restore({ scenario, cases: [] }, ""));
    const answered = this.evaluate();
    // Where the result is above the texts, they would move when it comes.
    await Promise.race([carried, answered, delay(SOON)]);
    delete document.documentElement.dataset["arriving"];
    if (found?.seen !== undefined) this.#lookAt(found.seen); // what is hidden takes no focus
    await answered;
    const handed = takeHanded();
    if (handed !== undefined) await this.#incoming.open([{ path: handed.name, file: handed }]);
  }

  /** Where the reader is. */
  get #seen(): Seen {
    const text = this.#documents.selected;
    return { text, ...this.#editors[text].selection, view: this.#viewTabs.selected };
  }

  #lookAt({ text, start, end, view }: Seen): void {
    this.#viewTabs.select(view);
    const last = this.#editors[text].offsets.toBytes(this.#editors[text].text.length);
    this.#edits.jump(text, { start: Math.min(start, last), end: Math.min(end, last) });
  }

  /** Until the engine is there: the result that the build gave for an example, else the shape of a result. */
  async #wait(): Promise<void> {
    this.#result.wait();
    const shown = this.scenario;
    const slug = slugOf(location.hash);
    if (slug === undefined || this.#answered) return;
    const parts = await this.#examples.result(slug);
    if (parts !== undefined && !this.#answered && same(shown, this.scenario)) {
      this.#result.carry(parts);
      this.#decided = shown;
    }
  }

  /** Shows another scenario; what was there stays in the history. */
  #restore(work: Work, hash: string): void {
    this.#keep();
    push(work, hash);
    hideNotice();
    hideDamage();
    this.#apply(work);
    opened(this.#held.work);
    void this.evaluate();
  }

  #apply(work: Work): void {
    const { scenario } = work;
    this.#isExample = same(scenario, this.#came) || location.hash.startsWith(EXAMPLE);
    this.#shown = false;
    this.#chosen = false;
    this.#result.release();
    if (!same(scenario, this.scenario)) this.#documents.wait();
    this.#held.show(work);
    this.#head.show(scenario, isForeign(location.hash));
    const first = TEXTS.find((t) => scenario[t]);
    if (!scenario[this.#documents.selected] && first) this.#documents.select(first);
    this.#many.showCases();
    const slug = slugOf(location.hash) ?? (same(scenario, this.#came) ? document.body.dataset["example"] : undefined);
    this.#example = { slug, scenario: this.scenario };
  }

  /** Keeps the work; the reader hears once when it will not outlast the tab. */
  #keep(): void {
    reportTrouble(keep(this.#held.work));
  }

  #setCases(cases: readonly Case[]): void {
    this.#held.cases = cases;
    this.#keep();
    this.#many.showCases();
  }

  /** Opens the request that shows a problem, as the engine evaluated it: with the server's defaults. */
  #openRequest(problem: number): void {
    const request = this.#reply?.report.diagnostics[problem]?.example;
    if (request === undefined) return;
    const former = this.scenario;
    this.#showRequest(request, true);
    this.#documents.select("request");
    notice("Opened the request.", { name: "Undo", run: () => this.#put(former) });
  }

  /** Puts another request in place of the one that is there. */
  #showRequest(request: string, defaulting: boolean | undefined): void {
    const { options: { defaulting: _, ...rest } = {}, ...scenario } = this.scenario;
    const options = { ...rest, ...(defaulting !== undefined && { defaulting }) };
    this.#put({ ...scenario, request, options });
  }

  #retitle(title: string): void {
    this.#held.title = title;
    this.#keep();
  }

  #changed(atOnce: boolean): void {
    if (atOnce) this.#result.release();
    else {
      this.#pace.typed();
      this.#chosen = true; // the text that is written in stays
    }
    hideNotice();
    hideDamage();
    this.#limits.stop();
    this.#foresight.stop();
    this.#tries.stop();
    this.#held.markEmpty();
    offerBack();
    this.#incoming.follow();
    if (!this.#answered) this.#result.setStale("This is the result before your change. The engine is still loading.");
    if (this.#due) return; // one change may concern several texts
    // A key is answered while the editor draws it. Completions are missed first: the editor asks
    // for them in a task of its own, and where an evaluation takes long, theirs comes first.
    if (!atOnce && this.#took <= UNNOTICED) return void this.evaluate();
    this.#due = true;
    const evaluate = (): void => {
      this.#due = false;
      void this.evaluate();
    };
    if (this.#took > UNNOTICED) window.setTimeout(evaluate);
    else queueMicrotask(evaluate);
  }

  /** Evaluates what the editors hold and shows the result. */
  async evaluate(): Promise<void> {
    const scenario = this.scenario;
    const asked = performance.now();
    this.#pace.whenPaused("typed", () => void this.#incoming.typed());
    this.#pace.whenPaused("keep", () => this.#keep());
    this.#pace.whenPaused("many", () => this.#many.follow(this.#viewTabs.selected));
    try {
      const earlier = this.#parts;
      const have = earlier === undefined ? {} : { have: earlier.prints };
      const reply = await this.#engine.evaluate(scenario, { ...this.#result.seen, ...have, first: true });
      this.#parts = completed(reply, earlier);
      this.#took = performance.now() - asked;
      this.#pace.show(reply, () => this.#show(reply, scenario));
      this.#first.given();
    } catch (error) {
      if (error instanceof Superseded) return;
      this.#first.given();
      this.#status.answered();
      const advice = error instanceof EngineLost ? " Change the text to try again." : "";
      this.#result.setStale(`${reasonOf(error)}${advice}`);
    }
  }

  /** Shows the result of a scenario. */
  #show(reply: Evaluated, scenario: Scenario): void {
    const slow = reply.timedOut === true;
    // Once more: the first evaluation also starts the engine. A verdict that is there stays.
    if (slow && !this.#slow) {
      this.#slow = true;
      return void setTimeout(() => void this.evaluate());
    }
    this.#slow = slow;
    if (slow && this.#decided !== undefined && same(this.#decided, scenario)) {
      this.#status.answered();
      this.#result.setStale("Evaluating this takes too long in this browser. Below is the earlier result.");
      return;
    }
    this.#decided = slow ? undefined : scenario;
    this.#reply = reply;
    const first = !this.#answered;
    this.#answered = true;
    this.#status.answered();
    const { report } = reply;
    this.#head.verdict(isDamageShown() ? "Damaged link" : reply.html.title);
    // The first ones are asked for before the steps, which take ten times as long.
    if (first) this.#notes.show(reply, scenario);
    whenDrawn(() => {
      if (this.#reply !== reply) return; // there is a newer one
      this.#head.follow(scenario);
      if (!first) this.#notes.show(reply, scenario);
      this.#repairs.follow(reply, scenario, () => this.#reply === reply);
    });
    if (reply.broken !== undefined && this.#shown) {
      this.#result.showProblems(reply.html.problems);
      this.#result.setStale(brokenNote(reply.broken, false));
      return;
    }
    this.#result.show(reply);
    this.#documents.show(reply.html.documents);
    this.#openDecisive(scenario);
    this.#share.follow();
    if (reply.broken !== undefined && (reply.broken !== "request" || report.request !== undefined))
      this.#result.setStale(brokenNote(reply.broken, true)); // a request that cannot be read is the verdict itself
    else this.#shown = report.request !== undefined;
    this.#form.show(report);
    this.#live.show(report);
    this.#pace.whenPaused("follow", () => setTimeout(() => this.#follow(reply, scenario)));
  }

  #shownDenial(said: string): Action | undefined {
    const { decisive } = this.#documents;
    const [by, message] = ["by a", "has-own"].map((part) =>
      document.querySelector(`#outcome .${part}`)?.textContent?.trim(),
    );
    if (decisive === undefined || !by || !message || !said.includes(by) || !said.includes(message)) return undefined;
    const { text, start } = decisive;
    return { name: "Show what denied", run: () => this.#edits.jump(text, { start, end: start }) };
  }

  /** Of a scenario that was opened the document that decided is in the editor, unless the reader has chosen one. */
  #openDecisive(of: Scenario): void {
    if (this.#chosen || !same(of, this.scenario)) return;
    this.#chosen = true;
    const decisive = this.#documents.decisive;
    if (decisive === undefined) return;
    const { text, start } = decisive;
    if (text !== this.#documents.selected) this.#documents.select(text);
    this.#editors[text].showFrom(start);
    this.#documents.follow(text, start);
  }

  /** Shows problems that were found behind the answer that is shown. */
  #showLate(late: Repaired): void {
    if (this.#reply === undefined) return;
    this.#repairs.put(this.#reply, late);
  }

  /** What follows a result, in a task after that in which it is drawn. */
  #follow(reply: Evaluated, scenario: Scenario): void {
    if (this.#reply !== reply) return; // there is a newer one
    // With large texts the next key would wait long for what nobody has asked for.
    if (TEXTS.every((text) => (scenario[text] ?? "").length < LARGE)) void this.#result.complete();
    this.#propose.show(reply);
    this.#many.outdate();
    this.#onView(this.#viewTabs.selected);
    if (reply.timedOut !== true) this.#limits.start(scenario); // which evaluates, too
    this.#foresight.start({ id: reply.id ?? 0, scenario });
    this.#tries.start(scenario);
    this.#address.follow();
    void this.#object.record(reply, { scenario, cases: this.#held.cases }, () => this.#reply === reply);
  }

  #onView(view: string): void {
    void this.#result.open(view);
    this.#many.open(view);
  }

  /** From an expression in a text to its result. */
  #showResult(text: TextName, offset: number): void {
    this.#viewTabs.select("steps");
    void this.#result.showExpression(text, offset, this.#editors[text].offsets.lineAt(offset));
  }

  /** Makes the request text and the settings another form of the request. */
  #reformRequest(request: string, options: Options): void {
    if (same({ options }, { options: this.scenario.options ?? {} }))
      this.#editors.request.change(request); // which counts as a change by the reader
    else this.#put({ ...this.scenario, request, options });
  }

  /** Gives the text that is shown an even layout. */
  async #format(): Promise<void> {
    const text = this.#documents.selected;
    if (text === "expression" && this.scenario.expressionContext !== RULES)
      return void notice("Format is for YAML and JSON.");
    const before = this.#editors[text].text;
    try {
      const after = await this.#engine.call("format", { text: before });
      if (this.#editors[text].text === before) this.#editors[text].change(after);
    } catch {
      notice("This text has a syntax error. Correct it, then format it.");
    }
  }

  /** Makes the texts and settings those of a scenario, as changes by the reader. */
  #put(scenario: Scenario): void {
    this.#head.show(scenario, false);
    this.#held.change(scenario);
    this.#changed(true);
  }
}

void new Playground().open();
document.documentElement.dataset["app"] = "";
