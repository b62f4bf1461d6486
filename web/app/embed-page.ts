// The page inside an embedded example: one editor at a time, the outcome below.
// The engine is loaded when the reader changes something or asks for the
// result; all embedded examples of a page share it.

import { byID } from "./dom.ts";
import { Editor } from "./editor.ts";
import { lineRanges, type PASSED_ON } from "./embed-attributes.ts";
import { portOfHub } from "./embed-channel.ts";
import { EngineClient, Superseded } from "./engine-client.ts";
import { EngineStatus } from "./engine-state.ts";
import { HINTS } from "./hints.ts";
import { languageOf } from "./languages.ts";
import { decodeLink, encodeLink, isLink, LinkError } from "./link.ts";
import { notesOf } from "./notes.ts";
import type { Evaluated, Scenario, Span } from "./protocol.ts";
import { Pace } from "./pace.ts";
import { partNamed, ResultPane } from "./result.ts";
import { installTabs, type Tabs } from "./tabs.ts";
import { brokenNote, TEXTS, type TextName } from "./texts.ts";

class Embed {
  readonly #options = new URLSearchParams(location.search);
  readonly #engine: EngineClient;
  readonly #result: ResultPane;
  readonly #tabs: Tabs;
  readonly #views: Tabs;
  #editors = new Map<TextName, Editor>();
  #scenario: Scenario = {};
  readonly #pace = new Pace();
  readonly #status: EngineStatus;

  constructor() {
    const { engine, engineBytes, worker } = document.body.dataset;
    this.#status = new EngineStatus(() => this.#engine.start());
    const port = portOfHub(this.#options.get("hub"));
    this.#engine = new EngineClient({
      ...(port === undefined ? {} : { port }),
      workerURL: worker ?? "",
      engineURL: engine ?? "",
      engineBytes: Number(engineBytes),
      onState: (state) => this.#status.show(state),
    });
    this.#result = new ResultPane({
      onJump: (text, span) => this.#jump(text, span),
      onFix: () => undefined,
      onFixAll: () => undefined,
      onStep: () => this.#views.select("steps"),
      onView: (view) => this.#views.select(view, true),
      onText: (text) => this.#jump(text, { start: 0, end: 0 }),
      visible: () => this.#views.selected,
      render: (id, parts, urgent) => this.#engine.call("render", { id, parts }, urgent ? "render" : undefined),
      onGone: () => void this.#evaluate(),
    });
    this.#tabs = installTabs(byID("input-tabs", HTMLElement), () => undefined);
    this.#views = installTabs(
      byID("view-tabs", HTMLElement),
      (view) => void this.#result.open(view).then(() => this.#tellHeight()),
    );
    byID("run", HTMLButtonElement).addEventListener("click", () => void this.#evaluate());
    new ResizeObserver(() => this.#tellHeight()).observe(document.body);
  }

  async open(): Promise<void> {
    const theme = this.#option("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
    try {
      this.#scenario = await this.#load();
    } catch (error) {
      this.#result.setStale(error instanceof Error ? error.message : String(error));
      return;
    }
    for (const text of TEXTS) this.#show(text);
    const file =
      TEXTS.find((t) => t === this.#option("file") && this.#scenario[t]) ?? TEXTS.find((t) => this.#scenario[t]);
    if (file !== undefined) {
      this.#tabs.select(file);
      const lines = lineRanges(this.#option("lines") ?? "");
      if (lines !== undefined) this.#editors.get(file)?.focusLines(lines);
    }
    const view = this.#option("view") ?? "";
    this.#views.select(partNamed(view) ?? "steps");
    byID("open-in-playground", HTMLAnchorElement).href = this.#link();
    if (this.#options.get("run") !== null) await this.#evaluate();
  }

  /** An attribute of the embedded example; null when it has none. */
  #option(name: (typeof PASSED_ON)[number]): string | null {
    return this.#options.get(name);
  }

  async #load(): Promise<Scenario> {
    if (isLink(location.hash)) return decodeLink(location.hash);
    const slug = this.#option("example") ?? "";
    if (!/^[a-z0-9-]+$/.test(slug)) throw new LinkError("link-unknown", "This embedded example names no scenario.");
    const response = await fetch(`/examples/${slug}/scenario.json`);
    if (!response.ok) throw new Error(`There is no example "${slug}".`);
    return (await response.json()) as Scenario;
  }

  /** Makes the editor of a text, or hides its tab when it is empty. */
  #show(text: TextName): void {
    const content = this.#scenario[text] ?? "";
    byID(`tab-${text}`, HTMLElement).hidden = content === "";
    if (content === "") return;
    const host = document.querySelector<HTMLElement>(`[data-editor=${text}]`);
    if (host === null) return;
    const readOnly = this.#option("readonly") !== null;
    this.#editors.set(
      text,
      new Editor({
        host,
        label: text,
        text: content,
        hint: HINTS[text],
        language: languageOf(text),
        readOnly,
        onChange: (pasted) => this.#changed(pasted),
      }),
    );
  }

  get #current(): Scenario {
    const scenario = { ...this.#scenario };
    for (const [text, editor] of this.#editors) scenario[text] = editor.text;
    return scenario;
  }

  #link(): string {
    try {
      return `/${encodeLink(this.#current)}`;
    } catch {
      return "/"; // too large for a link: the playground opens empty
    }
  }

  #changed(atOnce: boolean): void {
    if (!atOnce) this.#pace.typed();
    void this.#evaluate();
  }

  async #evaluate(): Promise<void> {
    if (this.#engine.state.name === "idle") this.#engine.start();
    byID("run", HTMLElement).hidden = true;
    const scenario = this.#current;
    this.#pace.whenPaused("link", () => (byID("open-in-playground", HTMLAnchorElement).href = this.#link()));
    try {
      const reply = await this.#engine.evaluate(scenario, this.#result.part, this.#result.report);
      this.#pace.show(reply, () => this.#showResult(reply, scenario));
    } catch (error) {
      this.#status.answered();
      if (!(error instanceof Superseded)) this.#result.setStale(error instanceof Error ? error.message : String(error));
      this.#tellHeight();
    }
  }

  #showResult(reply: Evaluated, scenario: Scenario): void {
    this.#status.answered();
    for (const [text, editor] of this.#editors) {
      if (editor.text !== scenario[text]) continue; // the result of the text there now is on its way
      editor.showProblems(reply.report.diagnostics.filter((d) => d.text === text));
      if (reply.broken === undefined) editor.showNotes(notesOf(reply.report, text, editor.offsets));
    }
    if (reply.broken === undefined) {
      this.#result.show(reply);
      this.#pace.whenPaused("follow", () => void this.#result.complete());
    } else this.#result.setStale(brokenNote(reply.broken, false));
    byID("results", HTMLElement).classList.add("has-result");
    this.#tellHeight();
  }

  #jump(text: TextName, span: Span): void {
    if (!this.#editors.has(text)) return;
    this.#tabs.select(text);
    this.#editors.get(text)?.reveal(span);
  }

  /** The page around makes the frame as high as its content. */
  #tellHeight(): void {
    if (window.parent !== window) window.parent.postMessage({ preadmitHeight: document.body.scrollHeight + 2 }, "*");
  }
}

void new Embed().open();
