// For an object of a running cluster: other requests about it, and the object without
// what only a server sets.

import { byID } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { notice } from "./notice.ts";
import type { Form, Report } from "./protocol.ts";

const FORMS: readonly Form[] = ["updated", "stripped", "deleted"];

export class LiveTools {
  readonly #tools = byID("live-tools", HTMLElement);

  constructor(engine: EngineClient, text: () => string, onText: (text: string) => void) {
    this.#tools.addEventListener("click", (event) => {
      const button = (event.target as Element).closest<HTMLElement>("[data-live]");
      const form = FORMS.find((f) => f === button?.dataset["live"]);
      if (form === undefined) return;
      const before = text();
      engine.call("request/live", { text: before, form }).then(
        (after) => {
          if (text() !== before) return; // the reader has gone on
          onText(after);
          notice(`The request is now the object ${SAID[form]}.`, { name: "Undo", run: () => onText(before) });
        },
        (error: unknown) => notice(error instanceof Error ? error.message : String(error)),
      );
    });
  }

  show(report: Report): void {
    this.#tools.hidden = report.fromCluster !== true;
  }
}

const SAID: Readonly<Record<Form, string>> = {
  updated: "as an UPDATE of itself",
  stripped: "as created, without the server's fields",
  deleted: "as a DELETE",
};
