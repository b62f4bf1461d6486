// Changes of the texts that come from beside them: repairs, inserted functions and
// proposed policies; and the ways to a place in them.

import type { Editor } from "./editor.ts";
import { notice } from "./notice.ts";
import { problemFrom } from "./problems.ts";
import type { AnyText, Edit, Report, RequestChange, Scenario, Span } from "./protocol.ts";
import { withoutPolicyFiles, withRuntimeConfig } from "./settings.ts";
import type { Tabs } from "./tabs.ts";
import { NAMES, TEXTS, textNamed, type TextName } from "./texts.ts";

export interface TextEditsEvents {
  scenario(): Scenario;
  /** Makes the texts and settings those of a scenario, as changes by the reader. */
  put(scenario: Scenario): void;
  /** The last report; undefined before there is one. */
  report(): Report | undefined;
  /** The reader goes to a place in a text. */
  onJump(): void;
  /** A place in the request is shown: it may be in the part of it that is not. */
  onRequest(): void;
  /** Says something about the request besides its object; done is what was asked for. */
  changeRequest(change: RequestChange, done: string): void;
}

/** What a proposed policy takes the place of: a webhook, and the answer that was given for it. */
export interface Instead {
  place: Span;
  answer: Span | undefined;
}

export class TextEdits {
  readonly #editors: Record<TextName, Editor>;
  readonly #tabs: Tabs;
  readonly #events: TextEditsEvents;

  constructor(editors: Record<TextName, Editor>, tabs: Tabs, events: TextEditsEvents) {
    this.#editors = editors;
    this.#tabs = tabs;
    this.#events = events;
  }

  /** Shows a place in a text. */
  jump(text: AnyText, span: Span): void {
    if (text === "scenario") return;
    this.#events.onJump();
    if (text === "request") this.#events.onRequest();
    this.#tabs.select(text);
    this.#editors[text].reveal(span);
  }

  /** Shows the next problem, or the one before. */
  nextProblem(backwards: boolean): void {
    const problems = this.#events.report()?.diagnostics ?? [];
    if (problems.length === 0) return;
    // With two panes the one with the cursor counts.
    const pane = document.activeElement?.closest<HTMLElement>("[data-editor]")?.dataset["editor"];
    const current = textNamed(pane) ?? textNamed(this.#tabs.selected) ?? "policies";
    const next = problemFrom(problems, current, this.#editors[current].cursor, backwards);
    if (next !== undefined) this.jump(next.text, next.span);
  }

  /** Puts code where the cursor of the expression is; the way back is the editor's own. */
  insert(code: string): void {
    const editor = this.#editors.expression;
    const span = editor.selection;
    editor.applyEdits([{ span, new: code }]);
    const end = span.start + new TextEncoder().encode(code).length;
    this.jump("expression", { start: end, end });
  }

  /** Puts a proposed policy into the policies, at the end or in a place; the way back is offered. */
  usePolicy(policy: string, added: string, instead?: Instead): void {
    const { policies, cluster } = this.#editors;
    const before = { policies: policies.text, cluster: cluster.text };
    const separator = before.policies.trim() === "" ? "" : before.policies.endsWith("\n") ? "---\n" : "\n---\n";
    const end = policies.offsets.toBytes(before.policies.length);
    const edit =
      instead === undefined
        ? { span: { start: end, end }, new: separator + policy }
        : { span: instead.place, new: policy.trimEnd() };
    policies.applyEdits([edit]);
    if (instead?.answer !== undefined) cluster.applyEdits([{ span: instead.answer, new: "" }]);
    this.#tabs.select("policies");
    const start = edit.span.start + (instead === undefined ? separator.length : 0);
    policies.reveal({ start, end: start });
    notice(added, {
      name: "Undo",
      run: () => {
        policies.change(before.policies);
        if (instead?.answer !== undefined) cluster.change(before.cluster);
      },
    });
  }

  /** Applies a fix of a problem, or one that makes an assumption explicit: it adds to a text that may be hidden. */
  fix(of: "problem" | "assumed", index: number, fix: number): void {
    const report = this.#events.report();
    const list = of === "problem" ? report?.diagnostics : report?.assumed;
    const chosen = list?.[index]?.fixes?.[fix];
    if (chosen === undefined) return;
    if (chosen.request !== undefined) return this.#events.changeRequest(chosen.request, chosen.title);
    const former = this.#events.scenario();
    const back = { name: "Undo", run: (): void => this.#events.put(former) };
    if (chosen.runtimeConfig !== undefined) {
      this.#events.put(withRuntimeConfig(former, chosen.runtimeConfig));
      return void notice(`${chosen.title}: done under Settings.`, back);
    }
    if (chosen.admissionOnly === true) {
      this.#events.put({ ...former, options: { ...former.options, admissionOnly: true } });
      return void notice(`${chosen.title}: done under Settings.`, back);
    }
    if (chosen.removePolicyFiles === true) {
      this.#events.put(withoutPolicyFiles(former));
      return void notice(`${chosen.title}: done.`, back);
    }
    const [first] = chosen.edits;
    if (chosen.fill !== undefined && first !== undefined && first.text !== "scenario") {
      this.#apply(chosen.edits);
      const at = first.span.start;
      this.jump(first.text, { start: at + chosen.fill.start, end: at + chosen.fill.end });
      return void notice(`${chosen.title}: done. Fill in its values.`, back);
    }
    const changed = this.#apply(chosen.edits);
    // The focus goes where the change is seen, and Ctrl+Z takes it back.
    if (first !== undefined && first.text === this.#tabs.selected) {
      const start = first.span.start;
      this.jump(first.text, { start, end: start + new TextEncoder().encode(first.new).length });
    }
    notice(`${chosen.title}: done under ${changed.map((text) => NAMES[text]).join(" and ")}.`, {
      name: "Undo",
      // By the editors' own history, which can do it again.
      run: () => changed.forEach((text) => this.#editors[text].undo()),
    });
  }

  /** Makes edits of the texts; returns those that changed. */
  #apply(edits: readonly Edit[]): TextName[] {
    const changed = TEXTS.filter((text) => edits.some((e) => e.text === text));
    for (const text of changed) this.#editors[text].applyEdits(edits.filter((e) => e.text === text));
    return changed;
  }
}
