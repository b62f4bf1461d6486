// The button at the step of a webhook without an answer; its dialog is loaded when
// it is first needed.

import type { AnswerDialog } from "./answer-dialog.ts";
import type { EngineClient } from "./engine-client.ts";
import { notice } from "./notice.ts";
import type { Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";

export function installAnswer(engine: EngineClient, scenario: () => Scenario, put: (scenario: Scenario) => void): void {
  let dialog: Promise<AnswerDialog> | undefined;
  const take = async (webhook: string, text: string): Promise<string | undefined> => {
    const former = scenario();
    try {
      const answered = await engine.call("answer", { scenario: former, webhook, text });
      put(answered.scenario);
      notice(
        `The answer of ${webhook} is under Cluster. If it changes the object, its step has Write this as a policy.`,
        {
          name: "Undo",
          run: () => put(former),
        },
      );
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  };
  document.addEventListener("click", (event) => {
    const webhook = (event.target as Element).closest<HTMLElement>("[data-answer-webhook]")?.dataset["answerWebhook"];
    if (webhook === undefined) return;
    dialog ??= import("./answer-dialog.ts").then(({ AnswerDialog }) => new AnswerDialog(take));
    dialog.then(
      (loaded) => loaded.open(webhook),
      (error: unknown) => {
        dialog = undefined;
        notice(`This part of the page could not be loaded: ${reasonOf(error)}`);
      },
    );
  });
}
