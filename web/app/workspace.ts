// What the page holds: the texts, the version, the settings and the tests, read and
// written as one scenario.

import { byID } from "./dom.ts";
import type { Editor } from "./editor.ts";
import { ExpressionContext } from "./expression-context.ts";
import { VERSIONS, type Case, type Scenario } from "./protocol.ts";
import { Settings } from "./settings.ts";
import type { Work } from "./store.ts";
import { TEXTS, type TextName } from "./texts.ts";

export class Workspace {
  readonly #editors: Record<TextName, Editor>;
  readonly #version = byID("kubernetes", HTMLSelectElement);
  readonly #context: ExpressionContext;
  readonly #settings: Settings;
  /** What the fields do not show: the title, and settings that they do not have. */
  #rest: Scenario;
  /** The tests of the policies. */
  cases: readonly Case[] = [];

  /** onChange: the reader has chosen another version, context or setting. */
  constructor(editors: Record<TextName, Editor>, title: string, onChange: () => void) {
    this.#editors = editors;
    this.#rest = { title };
    this.#settings = new Settings(onChange);
    this.#version.addEventListener("change", onChange);
    this.#context = new ExpressionContext(editors.expression, onChange);
  }

  get scenario(): Scenario {
    const { options: _, ...rest } = this.#rest;
    const scenario: Scenario = { ...rest, kubernetes: this.kubernetes };
    const options = this.#settings.value;
    if (options !== undefined) scenario.options = options;
    for (const text of TEXTS) scenario[text] = this.#editors[text].text;
    if (scenario.expression) scenario.expressionContext = this.#context.value;
    return scenario;
  }

  get work(): Work {
    return { scenario: this.scenario, cases: this.cases };
  }

  /** The version that is chosen. */
  get kubernetes(): string {
    return this.#version.value;
  }

  /** Keeps the reader's version where a scenario that was opened has none. */
  set kubernetes(version: string) {
    if (version === this.#version.value) return;
    this.#version.value = version;
    this.#version.dispatchEvent(new Event("change"));
  }

  set title(title: string) {
    this.#rest = { ...this.#rest, title };
  }

  /** What the free expression is taken to be. */
  set expressionContext(context: string) {
    this.#context.choose(context);
  }

  /** Shows other work; what has no value gets that of an empty page. */
  show({ scenario, cases }: Work): void {
    this.cases = cases;
    this.#rest = scenario;
    for (const text of TEXTS) this.#editors[text].setText(scenario[text] ?? "");
    this.#version.value = scenario.kubernetes || (VERSIONS[0] ?? "");
    this.#settings.show(scenario.options);
    this.#context.show(scenario.expressionContext);
    this.markEmpty();
  }

  /** Without any text the page is one large place to paste. */
  markEmpty(): void {
    byID("workbench", HTMLElement).classList.toggle(
      "is-empty",
      TEXTS.every((text) => this.#editors[text].text === ""),
    );
  }

  /** Makes texts and settings those of a scenario, as changes by the reader. */
  change(scenario: Scenario): void {
    this.#rest = scenario;
    for (const text of TEXTS) this.#editors[text].change(scenario[text] ?? "");
    this.#settings.show(scenario.options);
    if (scenario.kubernetes) this.#version.value = scenario.kubernetes;
  }
}
