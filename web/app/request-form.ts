// The fields above the request text: who asks for what. They edit the text, so
// that text and form never disagree; a bare object becomes an AdmissionReview.

import { byID } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { notice } from "./notice.ts";
import type { Report, Scenario } from "./protocol.ts";

/** What web/bridge's request/form takes. */
interface Changes {
  operation?: string;
  user?: string;
  groups?: string[];
  subResource?: string;
  dryRun?: boolean;
}

export class RequestForm {
  readonly #operation = byID("request-operation", HTMLSelectElement);
  readonly #user = byID("request-user", HTMLInputElement);
  readonly #groups = byID("request-groups", HTMLInputElement);
  readonly #subResource = byID("request-subresource", HTMLInputElement);
  readonly #dryRun = byID("request-dry-run", HTMLInputElement);

  constructor(engine: EngineClient, scenario: () => Scenario, onText: (text: string) => void) {
    const change = (element: HTMLElement, changes: () => Changes): void => {
      element.addEventListener("change", () => {
        engine
          .call({ method: "request/form", params: { scenario: scenario(), set: changes() } })
          .then((reply) => onText((reply as { text: string }).text))
          .catch((error: unknown) => notice(error instanceof Error ? error.message : String(error)));
      });
    };
    change(this.#operation, () => ({ operation: this.#operation.value }));
    change(this.#user, () => ({ user: this.#user.value.trim() }));
    change(this.#groups, () => ({ groups: this.#groups.value.split(",").map((g) => g.trim()).filter((g) => g !== "") }));
    change(this.#subResource, () => ({ subResource: this.#subResource.value.trim() }));
    change(this.#dryRun, () => ({ dryRun: this.#dryRun.checked }));
  }

  /** Shows what was evaluated; a field that somebody is writing in is left alone. */
  show(report: Report): void {
    const request = report.request;
    if (request === undefined) return;
    const set = (input: HTMLInputElement | HTMLSelectElement, value: string): void => {
      if (document.activeElement !== input) input.value = value;
    };
    set(this.#operation, request.operation);
    set(this.#user, request.user);
    set(this.#groups, (request.groups ?? []).join(", "));
    set(this.#subResource, request.subResource ?? "");
    this.#dryRun.checked = request.dryRun;
  }
}
