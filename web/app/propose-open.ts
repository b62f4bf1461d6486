// The ways to a proposed policy, whose view is loaded when one is first taken.

import { byID } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { notice } from "./notice.ts";
import type { ProposeEvents, ProposeView, Source } from "./propose.ts";
import type { Evaluated, Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";

export class Propose {
  readonly #load: () => Promise<ProposeView>;
  readonly #start = byID("propose-start", HTMLButtonElement);
  #loading: Promise<ProposeView> | undefined;
  #view: ProposeView | undefined;

  constructor(engine: EngineClient, scenario: () => Scenario, events: ProposeEvents) {
    this.#load = async (): Promise<ProposeView> => {
      const { ProposeView } = await import("./propose.ts");
      return (this.#view = new ProposeView(engine, scenario, events));
    };
    document.addEventListener("click", ({ target }) => {
      const button = (target as Element).closest<HTMLElement>(
        "#propose-start, #propose-patch, [data-propose-webhook], [data-skip-webhook]",
      );
      const source = button === null ? undefined : sourceOf(button);
      if (button !== null && source !== undefined) void this.#open(source, button);
    });
  }

  /** There is a new result. */
  show(reply: Evaluated): void {
    this.#start.disabled = !reply.editable;
    this.#view?.follow();
  }

  async #open(source: Source, opener: HTMLElement): Promise<void> {
    try {
      (await (this.#loading ??= this.#load())).open(source, opener);
    } catch (error) {
      this.#loading = undefined;
      notice(`The proposals could not be loaded: ${reasonOf(error)}.`);
    }
  }
}

/** Where the change comes from that a button is about. */
function sourceOf(button: HTMLElement): Source | undefined {
  if (button.id === "propose-start") return { from: "object" };
  if (button.id === "propose-patch") return { from: "patch" };
  const { proposeWebhook, skipWebhook, configuration } = button.dataset;
  const name = proposeWebhook ?? skipWebhook;
  if (!name || !configuration) return undefined;
  return { from: proposeWebhook === undefined ? "skip" : "webhook", configuration, name };
}
