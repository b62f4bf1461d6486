// Puts the rendered result in its place without disturbing the reader: scroll
// positions, folded steps and the focus stay where they are.

import { byID, chosenTab, copy, download, focusOn, whenDrawn } from "./dom.ts";
import { EngineLost, Superseded } from "./engine-client.ts";
import { fillFolds, openFold, openFolds, type Unfold } from "./folds.ts";
import { confirmation, notice } from "./notice.ts";
import { patch } from "./patch.ts";
import type {
  Evaluated,
  EvaluateParams,
  Part,
  RenderedParts,
  Repaired,
  RenderParams,
  Span,
  Unfolded,
  UnfoldParams,
} from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import { textNamed, type TextName } from "./texts.ts";

/** How long a new outcome has to stand before it is announced, in milliseconds. */
const QUIET = 500;

/** From this length on a part takes longer than a frame to lay out, in characters. */
const LONG = 60_000;

/** How long the part that the reader looks at may be that of the last result without a sign of it, in milliseconds. */
const BEHIND = 300;

/** The parts that have tabs of their own. */
const PARTS: readonly Part[] = ["steps", "object", "diff", "answer"];

/** The part that a tab shows; undefined for a tab of another kind. */
export function partNamed(view: string): Part | undefined {
  return PARTS.find((part) => part === view);
}

export interface ResultEvents {
  onJump(text: TextName, span: Span): void;
  /** The reader points at what is about a place of a text, or at nothing of the kind. */
  onPoint?(text: TextName | undefined, span: Span | null | undefined): void;
  onFix(of: "problem" | "assumed", index: number, fix: number): void;
  /** The reader asked for every repair that has one likely answer. */
  onFixAll(): void;
  /** Opens the request that shows a problem, by the problem's index. */
  onOpenRequest?(problem: number): void;
  /** The reader asked for a step that the outcome names. */
  onStep(): void;
  /** The reader asked for a text. */
  onText(text: TextName): void;
  /** The name of the tab that is open. */
  visible(): string;
  /** Asks for parts of a report; urgent when the reader waits for them. */
  render(params: RenderParams, urgent: boolean): Promise<RenderedParts>;
  /** Asks for what is in a fold of a report. */
  unfold(params: UnfoldParams): Promise<Unfolded>;
  /** The report that is shown has other problems than those that came with its answer. */
  onLate?(problems: Repaired): void;
  /** The engine no longer has the report that is shown: it has to be made anew. */
  onGone(): void;
  /** The reader asks for the API server's own code. */
  onLoad(): void;
}

/** A result as the page of an example has it. */
export interface Carried {
  outcome: string;
  steps: string;
}

/** The text that a button is folded away with. */
function shownWith(button: HTMLElement): string {
  return button.closest("details")?.querySelector("pre")?.textContent ?? "";
}

/** Copies the text that a button is folded away with, and what the button has around it. */
async function copyShown(button: HTMLElement): Promise<void> {
  const { before = "", after = "" } = button.dataset;
  if (await copy(before + shownWith(button) + after)) confirmation("Copied.");
  else notice("The browser does not allow copying. Select the text instead.");
}

export class ResultPane {
  readonly #events: ResultEvents;
  readonly #results = byID("results", HTMLElement);
  readonly #outcome = byID("outcome", HTMLElement);
  /** The report that is shown; undefined until there is one. */
  #report: number | undefined;
  /** The parts on the page that are of this report. */
  readonly #current = new Set<Part>();
  /** The part that was asked for last, of which report, and the promise that it is there. */
  #coming: { part: Part; of: number; here: Promise<void> } | undefined;
  /** The timer of the part that is behind the outcome; undefined when none is. */
  #behind: number | undefined;
  /** What the reader points at. */
  #pointed: HTMLElement | null | undefined;
  #announced = "";
  #announcing = 0;

  /** The height of the tallest outcome since the reader began to type, in pixels. */
  #held = 0;

  constructor(events: ResultEvents) {
    this.#events = events;
    let before = 0;
    new ResizeObserver(() => {
      const { width, height } = this.#outcome.getBoundingClientRect();
      if (width !== before) this.release(); // its lines are others
      before = width;
      this.#held = Math.max(this.#held, height);
      this.#outcome.style.setProperty("--held", `${this.#held}px`);
    }).observe(this.#outcome);
    // What the build gave can be unfolded before the first answer. A fold that closes leaves no gap.
    hear(this.#results);
    this.#outcome.addEventListener("click", ({ target }) => {
      if ((target as Element).closest("summary") !== null) this.release();
    });
    fillFolds(this.#results, this.#unfold);
    for (const event of ["mouseover", "mouseleave", "focusin", "focusout"]) {
      this.#results.addEventListener(event, ({ type, target }) => {
        const leaves = type === "mouseleave" || type === "focusout";
        this.#point(leaves ? this.#results.querySelector(":focus-visible") : (target as Element));
      });
    }
    document.addEventListener("click", (event) => {
      const target = event.target as Element;
      const jump = target.closest<HTMLElement>("button.jump");
      if (jump !== null) {
        const text = textNamed(jump.dataset["text"]);
        if (text !== undefined) events.onJump(text, placeOf(jump));
      }
      const fix = target.closest<HTMLElement>("button.fix");
      if (fix?.dataset["all"] !== undefined) events.onFixAll();
      else if (fix !== null) {
        const { problem, assumed } = fix.dataset;
        events.onFix(
          problem === undefined ? "assumed" : "problem",
          Number(problem ?? assumed),
          Number(fix.dataset["fix"]),
        );
      }
      const opening = target.closest<HTMLElement>("button.open-request");
      if (opening !== null) events.onOpenRequest?.(Number(opening.dataset["problem"]));
      if (target.closest("button[data-load]") !== null) events.onLoad();
      if (target.closest("button[data-again]") !== null) events.onGone();
      const copying = target.closest<HTMLElement>("button[data-copy]");
      if (copying !== null) void copyShown(copying);
      const saving = target.closest<HTMLElement>("button[data-save]");
      if (saving !== null) download(saving.dataset["save"] ?? "", shownWith(saving), "application/json");
      const opener = target.closest<HTMLElement>("[data-open-text]");
      opener?.closest("details")?.removeAttribute("open"); // the menu it is in
      const opened = textNamed(opener?.dataset["openText"]);
      if (opened !== undefined) events.onText(opened);
      const link = target.closest<HTMLElement>("a[data-step]");
      if (link !== null) {
        event.preventDefault();
        events.onStep();
        void this.open("steps").then(() => showStep(Number(link.dataset["step"])));
      }
    });
  }

  /** Says which place of a text an element of the steps is about: its own, else that of the row or step around it. */
  #point(element: Element | null): void {
    const around = element?.closest(".jump, .row, .step");
    const place = element?.closest<HTMLElement>(".jump") ?? around?.querySelector<HTMLElement>(".jump");
    if (place === this.#pointed) return;
    this.#pointed = place;
    this.#events.onPoint?.(textNamed(place?.dataset["text"]), place && placeOf(place));
  }

  /** Hides what is shown, which is the result of another scenario, until there is a new one. */
  wait(): void {
    this.#results.classList.add("is-waiting", "is-arriving");
    // The outcome comes before its parts: those of the other scenario would be seen until then, and move.
    for (const part of PARTS) bodyOf(part)?.classList.add("is-outdated");
  }

  /** Lets the next outcome be as short as it is: what follows is no longer the same typing. */
  release(): void {
    this.#held = 0;
    this.#outcome.style.setProperty("--held", "");
  }

  /** Shows a result that the build gave, until the engine gives its own. */
  carry({ outcome, steps }: Carried): void {
    this.#results.classList.remove("is-waiting");
    replace(this.#outcome, outcome);
    const body = bodyOf("steps");
    if (body !== null) replace(body, steps);
    body?.classList.remove("is-outdated");
    // The build's page has these parts only; the others are still those of another scenario.
    for (const part of PARTS) if (part !== "steps") bodyOf(part)?.classList.add("is-outdated");
    this.#current.clear();
  }

  /** What comes first in the result: the outcome, or the value of the free expression. */
  showFirst(what: "outcome" | "expression"): void {
    this.#results.classList.toggle("is-expression-first", what === "expression");
  }

  /** The report that is shown. */
  get report(): number | undefined {
    return this.#report;
  }

  /** What to render with a new report: what the reader sees. The report that is shown stays available. */
  get seen(): Omit<EvaluateParams, "scenario"> {
    const shown = this.#report;
    return {
      parts: [partNamed(this.#events.visible()) ?? "steps"],
      open: openFolds(this.#results),
      ...(shown !== undefined && { shown }),
    };
  }

  /** Shows a new result. The HTML was escaped by the components that made it. */
  show({ id, html }: Evaluated): void {
    this.#results.classList.remove("is-waiting");
    this.#report = id;
    this.#current.clear();
    const visible = partNamed(this.#events.visible()) ?? "steps";
    const came = html.parts[visible] !== undefined;
    // The engine makes what follows the answer while the page shows the answer.
    if (!came) this.#follow(visible, id);
    replace(this.#outcome, html.outcome);
    // What the API server's own code adds is a part of the answer, unless the reader has to ask for it.
    const whole = this.#outcome.querySelector(".is-loading:not(:has([data-load]))") === null;
    if (whole) this.#results.classList.remove("is-arriving");
    this.showProblems(html.problems);
    this.setStale(undefined);
    this.announce(html.announcement);
    if (!came) return;
    const rest = (): void => {
      if (id !== this.#report) return; // there is a newer one
      for (const part of PARTS) this.#put(part, html.parts[part]);
      // The reader may have opened another tab while this was under way.
      void this.open(this.#events.visible());
    };
    // The outcome does not wait for a long list below it.
    if (Object.values(html.parts).some((part) => part.length > LONG)) whenDrawn(rest);
    else rest();
  }

  /** Brings the part up to date that a tab shows, which is hidden until then. */
  async open(view: string): Promise<void> {
    const part = partNamed(view);
    if (part === undefined || this.#report === undefined || this.#current.has(part)) return;
    if (this.#coming?.part !== part || this.#coming.of !== this.#report) {
      bodyOf(part)?.classList.add("is-outdated");
      this.#ask(part, this.#report);
    }
    await this.#coming?.here;
  }

  /** Renders a part again of which the report has more now: at once where the reader sees it, else with its tab. */
  renew(part: Part): void {
    if (this.#report === undefined) return;
    this.#current.delete(part);
    if ((partNamed(this.#events.visible()) ?? "steps") === part) this.#ask(part, this.#report);
  }

  /** Brings a part up to date that the reader has been looking at: what there was fades where that takes long. */
  #follow(part: Part, report: number): void {
    this.#behind ??= window.setTimeout(() => bodyOf(part)?.classList.add("is-behind"), BEHIND);
    this.#ask(part, report);
  }

  #ask(part: Part, of: number): void {
    const coming = { part, of, here: this.#fetch(part, of) };
    this.#coming = coming;
    void coming.here.then(() => {
      if (this.#coming === coming) this.#coming = undefined;
    });
  }

  async #fetch(part: Part, report: number): Promise<void> {
    try {
      const { gone, parts } = await this.#render(report, [part], true);
      if (report !== this.#report) return; // a newer one has asked for what it needs
      if (gone === true) this.#events.onGone();
      else for (const name of [part, "outcome"] as const) this.#put(name, parts[name]); // it may have more to say
    } catch (error) {
      // Another tab was opened; opening this one again asks again.
      if (!(error instanceof Superseded)) this.setStale(reasonOf(error));
    }
  }

  /** Brings the hidden parts up to date when there is time, so that their tabs open at once. */
  async complete(): Promise<void> {
    await this.#fill(PARTS.filter((part) => !this.#current.has(part)));
  }

  async #fill(missing: readonly Part[]): Promise<void> {
    const report = this.#report;
    if (report === undefined || missing.length === 0) return;
    try {
      const { parts } = await this.#render(report, [...missing], false);
      if (report !== this.#report) return;
      for (const part of missing) this.#put(part, parts[part]);
    } catch (error) {
      // The page reports elsewhere that the engine was lost; opening a tab asks again.
      if (!(error instanceof EngineLost)) throw error;
    }
  }

  async #render(id: number, parts: Part[], urgent: boolean): Promise<RenderedParts> {
    const reply = await this.#events.render({ id, parts, open: openFolds(this.#results) }, urgent);
    if (reply.late !== undefined && id === this.#report) this.#events.onLate?.(reply.late);
    return reply;
  }

  readonly #unfold: Unfold = async (key, around) => {
    const id = this.#report;
    if (id === undefined) return undefined;
    try {
      const reply = await this.#events.unfold({ id, key, around });
      if (id !== this.#report) return undefined; // a newer one has asked for what it needs
      if (reply.gone !== true) return reply;
      this.#events.onGone();
    } catch (error) {
      this.setStale(reasonOf(error));
    }
    return undefined;
  };

  #put(part: Part, html: string | undefined): void {
    const body = bodyOf(part);
    if (body === null || html === undefined) return;
    replace(body, html);
    body.classList.remove("is-outdated", "is-behind");
    window.clearTimeout(this.#behind);
    this.#behind = undefined;
    this.#current.add(part);
  }

  /** Shows the result of the expression at an offset of a text, if there is one; the steps are open. */
  async showExpression(text: TextName, offset: number, line: Span): Promise<void> {
    await this.open("steps");
    const row = rowAt(text, offset, line) ?? (await this.#rowLater(text, offset, line));
    if (row === undefined) return;
    const fold = row.closest<HTMLDetailsElement>("details[data-key]");
    if (fold !== null) await openFold(fold, this.#unfold);
    pointAt(row);
    row.querySelector<HTMLElement>(".jump")?.focus({ preventScroll: true });
  }

  /** Opens the steps that have an expression in a place, of those that are not all on the page. */
  async #rowLater(text: TextName, offset: number, line: Span): Promise<HTMLElement | undefined> {
    const folds = [
      ...document.querySelectorAll<HTMLDetailsElement>(`#view-steps details[data-later][data-text="${text}"]`),
    ];
    for (const fold of folds) {
      const { start, end } = placeOf(fold);
      if (fold.open || start > Math.max(offset, line.end) || end < Math.min(offset, line.start)) continue;
      await openFold(fold, this.#unfold);
      const row = rowAt(text, offset, line);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** Goes over to a report on the same scenario in which more was found: in the steps, or of rules in the outcome. */
  async takeOver(id: number): Promise<void> {
    this.#report = id;
    this.#current.delete("steps");
    await this.#fill(this.#events.visible() === "steps" ? ["outcome", "steps"] : ["outcome"]);
  }

  /** Marks the part of an expression that is at the cursor of an editor, in the trees that are open. */
  markPart(text: TextName, offset: number): void {
    for (const old of document.querySelectorAll(".part.is-at-cursor")) old.classList.remove("is-at-cursor");
    let found: HTMLElement | undefined;
    let length = Infinity;
    for (const jump of document.querySelectorAll<HTMLElement>(`.parts[open] .part > .jump[data-text="${text}"]`)) {
      const { start, end } = placeOf(jump);
      if (start > offset || end < offset || end - start >= length) continue;
      found = jump;
      length = end - start;
    }
    found?.parentElement?.classList.add("is-at-cursor");
  }

  showProblems(html: string): void {
    replace(byID("problems", HTMLElement), html);
  }

  /** Dims the last result while the text is broken, and says why. */
  setStale(reason: string | undefined): void {
    this.#results.classList.toggle("is-stale", reason !== undefined);
    const note = byID("stale-note", HTMLElement);
    note.hidden = reason === undefined;
    note.textContent = reason ?? "";
  }

  /** Informs a screen reader about a change of outcome, and only about that, and not at every key. */
  announce(text: string): void {
    window.clearTimeout(this.#announcing);
    // What the page already showed when it was opened is no news.
    if (this.#announced === "") this.#announced = text;
    if (text === this.#announced) return;
    this.#announcing = window.setTimeout(() => {
      this.#announced = text;
      byID("announce", HTMLElement).textContent = text;
    }, QUIET);
  }
}

function bodyOf(part: Part): HTMLElement | null {
  if (part === "outcome") return byID("outcome", HTMLElement);
  return document.querySelector<HTMLElement>(`#view-${part} .view-body`);
}

/** The place that an element is about. */
function placeOf(element: HTMLElement): Span {
  return { start: Number(element.dataset["start"]), end: Number(element.dataset["end"]) };
}

/** The row of the expression at an offset of a text, else of one in its line. */
function rowAt(text: TextName, offset: number, line: Span): HTMLElement | undefined {
  const rows = [...document.querySelectorAll<HTMLElement>(`#view-steps [data-row="${text}"]`)];
  const touches = (row: HTMLElement, { start, end }: Span): boolean => {
    const place = placeOf(row);
    return place.start <= end && place.end >= start;
  };
  return rows.find((row) => touches(row, { start: offset, end: offset })) ?? rows.find((row) => touches(row, line));
}

function showStep(index: number): void {
  const step = document.getElementById(`step-${String(index)}`);
  if (step === null) {
    // The page has no room for so many: what says so is in the step's place.
    const left = [...document.querySelectorAll<HTMLElement>("#view-steps [data-left-from]")].find(
      ({ dataset }) => Number(dataset["leftFrom"]) <= index && index <= Number(dataset["leftTo"]),
    );
    if (left !== undefined) pointAt(left);
    return;
  }
  const detail = step.querySelector("details");
  if (detail !== null) {
    detail.open = true;
    detail.dataset["touched"] = "";
  }
  pointAt(step);
}

/** Brings something into view and marks it for a moment. */
export function pointAt(step: HTMLElement): void {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  step.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
  step.classList.remove("is-pointed-at");
  void step.offsetWidth; // restarts the animation
  step.classList.add("is-pointed-at");
}

/** The elements in which clicks on folds are heard. */
const heard = new WeakSet<HTMLElement>();

/** Marks a fold in an element that the reader opens or closes. */
function hear(element: HTMLElement): void {
  if (heard.has(element)) return;
  heard.add(element);
  element.addEventListener("click", ({ target }) => {
    const fold = (target as Element).closest("summary")?.parentElement;
    if (fold?.dataset["key"] !== undefined) fold.dataset["touched"] = "";
  });
}

/** Sets the content of an element, keeping folds, focus and what is pointed at; nothing happens when it is the same. */
export function replace(element: HTMLElement, html: string): void {
  hear(element);
  const folds = new Map<string, boolean>();
  for (const d of element.querySelectorAll<HTMLDetailsElement>("details[data-key][data-touched]"))
    folds.set(d.dataset["key"] ?? "", d.open);
  const pointed = element.querySelector(".is-pointed-at")?.id;
  const focused = element.contains(document.activeElement) ? pathOf(element, document.activeElement) : undefined;
  patch(element, html);
  for (const d of folds.size > 0 ? element.querySelectorAll<HTMLDetailsElement>("details[data-key]") : []) {
    const open = folds.get(d.dataset["key"] ?? "");
    if (open === undefined) continue;
    d.open = open;
    d.dataset["touched"] = "";
  }
  if (pointed) document.getElementById(pointed)?.classList.add("is-pointed-at");
  if (focused !== undefined && !element.contains(document.activeElement)) keepFocus(element, focused);
}

/**
 * Gives the focus to what stands where the focused element stood, or to the next thing to do: a repair that is
 * applied goes, and the keyboard would start at the top of the page again.
 */
function keepFocus(element: HTMLElement, path: readonly number[]): void {
  const standing = elementAt(element, path);
  const others = element.querySelectorAll<HTMLElement>("button.fix, button, summary, a[href]");
  for (const to of [standing, ...others, chosenTab()]) {
    if (to?.checkVisibility() !== true) continue;
    if (to === standing) to.focus({ preventScroll: true });
    else focusOn(to);
    if (document.activeElement === to) return;
  }
}

/** The positions of an element among its siblings, from root down. */
function pathOf(root: Element, element: Element | null): number[] {
  const path: number[] = [];
  for (let e = element; e !== null && e !== root; e = e.parentElement) {
    path.unshift([...(e.parentElement?.children ?? [])].indexOf(e));
  }
  return path;
}

function elementAt(root: HTMLElement, path: readonly number[]): HTMLElement | undefined {
  let element: Element | undefined = root;
  for (const index of path) element = element?.children[index];
  return element instanceof HTMLElement ? element : undefined;
}
