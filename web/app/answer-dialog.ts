// What a webhook answered, pasted at its step: an AdmissionReview with the response,
// the JSON Patch in it, or the HTTP answer as it came. The engine puts it into the cluster.

import { button, make } from "./elements.ts";

export class AnswerDialog {
  readonly #dialog = make("dialog", { id: "answer-dialog", attributes: { "aria-labelledby": "answer-title" } });
  readonly #title = make("h2", { id: "answer-title" });
  readonly #text = make("textarea", {
    class: "answer-text code",
    attributes: { "aria-label": "The answer: JSON, YAML or HTTP", spellcheck: "false", rows: "10" },
  });
  readonly #problem = make("p", { class: "reason is-error", role: "alert" });
  /** Takes the text; gives what is wrong with it, if anything is. */
  readonly #take: (webhook: string, text: string) => Promise<string | undefined>;
  #webhook = "";

  constructor(take: (webhook: string, text: string) => Promise<string | undefined>) {
    this.#take = take;
    // What is pasted is taken at once; what is typed with the button.
    this.#text.addEventListener("paste", () => queueMicrotask(() => void this.#done()));
    this.#dialog.append(
      this.#title,
      make("p", {
        class: "muted",
        text: "Paste the webhook's AdmissionReview, its response, or its JSON Patch, also in base64. The HTTP answer that curl -i prints works too. Its step has the review to send, under “Sent to the webhook”.",
      }),
      this.#text,
      this.#problem,
      make(
        "div",
        { class: "buttons" },
        button("Use this answer", () => void this.#done(), "primary"),
        button("Close", () => this.#dialog.close(), "quiet"),
      ),
    );
    document.body.append(this.#dialog);
  }

  open(webhook: string): void {
    this.#webhook = webhook;
    this.#title.textContent = `What does ${webhook} answer?`;
    this.#text.value = "";
    this.#problem.hidden = true;
    this.#dialog.showModal();
    this.#text.focus();
  }

  async #done(): Promise<void> {
    const problem =
      this.#text.value.trim() === "" ? "Nothing to use." : await this.#take(this.#webhook, this.#text.value);
    this.#problem.hidden = problem === undefined;
    this.#problem.textContent = problem ?? "";
    if (problem === undefined) this.#dialog.close();
  }
}
