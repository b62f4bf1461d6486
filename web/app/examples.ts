// The menu of examples. Its links lead to the pages of the examples; here they
// open in the editors instead.

import { byID } from "./dom.ts";
import { notice } from "./notice.ts";
import type { Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import type { Carried } from "./result.ts";
import { trustedPage } from "./trusted.ts";

export class ExampleMenu {
  constructor(onOpen: (scenario: Scenario, slug: string) => void) {
    const menu = byID("examples", HTMLDetailsElement);
    menu.addEventListener("click", (event) => {
      const link = (event.target as Element).closest<HTMLElement>("a");
      if (link !== null) menu.open = false;
      if (link?.dataset["example"] === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      menu.querySelector("summary")?.focus();
      const slug = link.dataset["example"];
      void this.fetch(slug).then((scenario) => {
        if (scenario !== undefined) onOpen(scenario, slug);
      });
    });
    const field = byID("example-search", HTMLInputElement);
    let search: Promise<void> | undefined;
    menu.addEventListener("toggle", () => {
      if (menu.open) {
        field.focus();
        search ??= import("./example-search.ts").then(
          ({ installExampleSearch }) => installExampleSearch(field),
          (error: unknown) => {
            search = undefined; // the next opening tries again
            notice(`The search could not be loaded: ${reasonOf(error)}.`);
          },
        );
        return;
      }
      field.value = "";
      field.dispatchEvent(new Event("input"));
    });
    document.addEventListener("click", (event) => {
      if (!menu.contains(event.target as Node)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.querySelector("summary")?.focus();
    });
  }

  /** The result of an example as its page has it; undefined where that cannot be had. */
  async result(slug: string): Promise<Carried | undefined> {
    const response = await fetch(`/examples/${slug}/`).catch(() => undefined);
    if (response?.ok !== true) return undefined; // the engine's own result comes anyway
    const page = new DOMParser().parseFromString(trustedPage(await response.text()), "text/html");
    const part = (name: string): string | undefined => page.querySelector(`[data-carry=${name}]`)?.innerHTML;
    const outcome = part("outcome");
    const steps = part("steps");
    return outcome === undefined || steps === undefined ? undefined : { outcome, steps };
  }

  /** Reads one example; undefined, with a notice, when that fails. */
  async fetch(slug: string): Promise<Scenario | undefined> {
    try {
      const response = await fetch(`/examples/${slug}/scenario.json`);
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      return (await response.json()) as Scenario;
    } catch (error) {
      notice(`The example "${slug}" could not be read: ${reasonOf(error)}.`);
      return undefined;
    }
  }
}
