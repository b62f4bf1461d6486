// The settings that change what is simulated (Scenario.options): defaults, who
// answers the authorizer, built-in plugins. They are part of a link.

import { byID } from "./dom.ts";
import type { Options, Scenario } from "./protocol.ts";

export class Settings {
  readonly #menu = byID("settings", HTMLDetailsElement);
  readonly #defaulting = byID("setting-defaulting", HTMLSelectElement);
  readonly #authorizer = byID("setting-authorizer", HTMLSelectElement);
  readonly #fields = byID("setting-fields", HTMLSelectElement);
  readonly #complete = byID("setting-complete", HTMLInputElement);
  readonly #admission = byID("setting-admission", HTMLInputElement);
  readonly #plugins = [...this.#menu.querySelectorAll<HTMLSelectElement>("select[name=plugin]")];
  readonly #runtimeConfig = [...this.#menu.querySelectorAll<HTMLInputElement>("input[name=runtime-config]")];
  readonly #note = byID("setting-plugins-note", HTMLElement);
  /** A choice of plugins that the fields cannot show: exactly some plugins, or one without a field. */
  #unshown: Options["plugins"];
  /** Settings without a field here: how a plain object is sent, and files that nobody has read. */
  #elsewhere: Pick<Options, "request" | "policyFiles"> = {};

  constructor(onChange: () => void) {
    this.#menu.addEventListener("change", (event) => {
      if ((event.target as HTMLInputElement).name === "plugin") this.#keep(undefined);
      this.#count();
      onChange();
    });
    document.addEventListener("click", (event) => {
      if (!this.#menu.contains(event.target as Node)) this.#menu.open = false;
    });
    this.#menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.#menu.open = false;
      this.#menu.querySelector("summary")?.focus();
    });
  }

  /** What is set; undefined when everything is as usual. */
  get value(): Options | undefined {
    const options: Options = {};
    if (this.#defaulting.value !== "") options.defaulting = this.#defaulting.value === "on";
    if (this.#authorizer.value !== "") options.authorizer = this.#authorizer.value;
    if (this.#fields.value !== "") options.fieldValidation = this.#fields.value;
    if (this.#complete.checked) options.completeCluster = true;
    if (this.#admission.checked) options.admissionOnly = true;
    const [enable, disable] = [this.#pluginsThatAre("on"), this.#pluginsThatAre("off")];
    if (this.#unshown !== undefined) options.plugins = this.#unshown;
    else if (enable.length + disable.length > 0)
      options.plugins = { ...(enable.length > 0 && { enable }), ...(disable.length > 0 && { disable }) };
    const served = this.#runtimeConfig.filter((api) => api.checked).map((api) => api.value);
    if (served.length > 0) options.runtimeConfig = served;
    Object.assign(options, this.#elsewhere);
    return Object.keys(options).length > 0 ? options : undefined;
  }

  show(options: Options | undefined): void {
    this.#defaulting.value = options?.defaulting === undefined ? "" : options.defaulting ? "on" : "off";
    this.#authorizer.value = options?.authorizer === "rbac" ? "" : (options?.authorizer ?? "");
    this.#fields.value = options?.fieldValidation === "Warn" ? "" : (options?.fieldValidation ?? "");
    this.#complete.checked = options?.completeCluster ?? false;
    this.#admission.checked = options?.admissionOnly ?? false;
    this.#elsewhere = {
      ...(options?.request !== undefined && { request: options.request }),
      ...(options?.policyFiles !== undefined && { policyFiles: options.policyFiles }),
    };
    const chosen = options?.plugins;
    const { enable = [], disable = [] } = chosen === undefined || Array.isArray(chosen) ? {} : chosen;
    for (const plugin of this.#plugins) {
      const name = plugin.dataset["plugin"] ?? "";
      plugin.value = enable.includes(name) ? "on" : disable.includes(name) ? "off" : "";
    }
    const shown = [...enable, ...disable].every((name) => this.#plugins.some((p) => p.dataset["plugin"] === name));
    this.#keep(shown && !Array.isArray(chosen) ? undefined : chosen);
    for (const api of this.#runtimeConfig) api.checked = options?.runtimeConfig?.includes(api.value) ?? false;
    this.#count();
  }

  #pluginsThatAre(state: "on" | "off"): string[] {
    return this.#plugins.filter((p) => p.value === state).map((p) => p.dataset["plugin"] ?? "");
  }

  /** Keeps what the fields cannot show of a scenario, and says what it is. */
  #keep(plugins: Options["plugins"]): void {
    this.#unshown = plugins;
    this.#note.hidden = plugins === undefined;
    this.#note.textContent = plugins === undefined ? "" : `${inWords(plugins)} Choosing here replaces this.`;
  }

  /** Shows on the closed menu how many settings are not as usual. */
  #count(): void {
    const value = this.value;
    const set =
      (value?.runtimeConfig?.length ?? 0) +
      (value?.defaulting === undefined ? 0 : 1) +
      (value?.authorizer === undefined ? 0 : 1) +
      (value?.fieldValidation === undefined ? 0 : 1) +
      (value?.completeCluster === undefined ? 0 : 1) +
      (value?.admissionOnly === undefined ? 0 : 1) +
      (value?.plugins === undefined ? 0 : 1);
    byID("settings-count", HTMLElement).textContent = set === 0 ? "" : String(set);
  }
}

/** Which plugins a scenario chooses. */
function inWords(plugins: NonNullable<Options["plugins"]>): string {
  if (Array.isArray(plugins)) {
    return plugins.length === 0
      ? "The scenario runs no built-in plugin."
      : `The scenario runs exactly ${plugins.join(", ")}.`;
  }
  const on = plugins.enable?.length ? [`switches on ${plugins.enable.join(", ")}`] : [];
  const off = plugins.disable?.length ? [`switches off ${plugins.disable.join(", ")}`] : [];
  const what = [...on, ...off];
  return what.length === 0 ? "The scenario uses the default plugins." : `The scenario ${what.join(" and ")}.`;
}

/** A scenario whose cluster serves more API versions. */
export function withRuntimeConfig(scenario: Scenario, apis: readonly string[]): Scenario {
  const served = scenario.options?.runtimeConfig ?? [];
  return { ...scenario, options: { ...scenario.options, runtimeConfig: [...served, ...apis] } };
}

/** A scenario that names no files with policies any more. */
export function withoutPolicyFiles(scenario: Scenario): Scenario {
  const { policyFiles: _, ...options } = scenario.options ?? {};
  return { ...scenario, options };
}
