// From a result to a policy: the reader changes the object by hand, pastes what a
// webhook answered, or takes a webhook of the scenario, and gets the policies
// that make that change (engine/edit/proposal), tried out by the engine. It is loaded
// when it is first opened (propose-open.ts).

import { byID, copy } from "./dom.ts";
import { Editor } from "./editor.ts";
import { Superseded, type EngineClient } from "./engine-client.ts";
import { PATCH_HINT } from "./hints.ts";
import { languageOf } from "./languages.ts";
import { confirmation, notice } from "./notice.ts";
import type { Proposed, ProposeParams, Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import type { Instead } from "./text-edits.ts";
import { trustedHTML } from "./trusted.ts";

/** How long after the last key a proposal is made, in milliseconds. */
const DEBOUNCE = 250;

/** Where a change comes from. */
export type Source = { from: "object" | "patch" } | { from: "webhook" | "skip"; configuration: string; name: string };

/** Whether a source is a webhook of the scenario: there is no text to edit. */
const isWebhook = (source: Source | undefined): source is Exclude<Source, { from: "object" | "patch" }> =>
  source?.from === "webhook" || source?.from === "skip";

export interface ProposeEvents {
  /** Puts a policy into the policies text: at its end, or in a place; and says that it is added. */
  onPolicy(policy: string, added: string, instead?: Instead): void;
  /** Makes the view visible that holds the proposals. */
  onOpen(): void;
  /** The final object of the request, as YAML. */
  object(): Promise<string>;
}

export class ProposeView {
  readonly #engine: EngineClient;
  readonly #scenario: () => Scenario;
  readonly #events: ProposeEvents;
  readonly #box = byID("propose", HTMLElement);
  readonly #start = byID("propose-start", HTMLButtonElement);
  readonly #reset = byID("propose-reset", HTMLButtonElement);
  readonly #result = byID("propose-result", HTMLElement);
  readonly #problem = byID("propose-problem", HTMLElement);
  readonly #editors: Partial<Record<"object" | "patch", Editor>> = {};
  #source: Source | undefined;
  /** What had the focus when the view was opened. */
  #opener: HTMLElement | undefined;
  #reply: Proposed | undefined;
  #timer = 0;
  /** Counts the questions; only the answer to the last one is shown. */
  #turn = 0;

  constructor(engine: EngineClient, scenario: () => Scenario, events: ProposeEvents) {
    this.#engine = engine;
    this.#scenario = scenario;
    this.#events = events;
    this.#reset.addEventListener("click", () => void this.#fill());
    byID("propose-close", HTMLButtonElement).addEventListener("click", () => this.close());
    this.#result.addEventListener("click", (event) => {
      const { policy, do: action } = (event.target as Element).closest<HTMLElement>("[data-policy]")?.dataset ?? {};
      if (policy !== undefined) void this.#use(policy, action);
    });
  }

  /** There is a new result. An object that is being edited stays. */
  follow(): void {
    if (this.#source !== undefined && !isWebhook(this.#source)) void this.#propose();
  }

  close(): void {
    this.#source = undefined;
    this.#turn++;
    this.#box.hidden = true;
    byID("view-object", HTMLElement).classList.remove("is-editing");
    const opener = this.#opener?.isConnected ? this.#opener : this.#start;
    opener.focus();
  }

  open(source: Source, opener: HTMLElement): void {
    this.#source = source;
    this.#opener = opener;
    this.#events.onOpen();
    byID("view-object", HTMLElement).classList.add("is-editing");
    this.#box.hidden = false;
    this.#reply = undefined;
    this.#result.replaceChildren();
    for (const text of this.#box.querySelectorAll<HTMLElement>("[data-for]"))
      text.hidden = text.dataset["for"] !== source.from;
    const name = isWebhook(source) ? source.name : "";
    for (const id of ["propose-webhook", "propose-skip"]) byID(id, HTMLElement).textContent = name;
    void this.#fill();
    if (isWebhook(source)) byID("propose-close", HTMLButtonElement).focus();
    else this.#editor(source.from).focus();
  }

  /** Puts the start into the editor: the object as it is, or no patch. */
  async #fill(): Promise<void> {
    const source = this.#source;
    this.#reset.hidden = isWebhook(source);
    if (source?.from === "patch") this.#editor(source.from).setText("");
    if (source?.from === "object") {
      const text = await this.#events.object();
      if (this.#source !== source) return; // it was closed meanwhile
      this.#editor(source.from).setText(text);
    }
    void this.#propose();
  }

  #editor(kind: "object" | "patch"): Editor {
    return (this.#editors[kind] ??= new Editor({
      host: byID(`propose-editor-${kind}`, HTMLElement),
      label: kind === "object" ? "The object you want, YAML" : "The webhook's answer, JSON or YAML",
      text: "",
      hint: kind === "object" ? "" : PATCH_HINT,
      language: languageOf("request"),
      onChange: (pasted) => {
        window.clearTimeout(this.#timer);
        this.#timer = window.setTimeout(() => void this.#propose(), pasted ? 0 : DEBOUNCE);
      },
    }));
  }

  /** Asks for proposals; undefined while there is nothing to ask about. */
  #params(): ProposeParams | undefined {
    const source = this.#source;
    const scenario = this.#scenario();
    if (source === undefined) return undefined;
    if (isWebhook(source)) {
      const name = { configuration: source.configuration, name: source.name };
      return source.from === "skip" ? { scenario, skip: name } : { scenario, webhook: name };
    }
    const { text } = this.#editor(source.from);
    if (source.from === "object") return { scenario, after: text };
    return text.trim() === "" ? undefined : { scenario, patch: text };
  }

  async #propose(): Promise<void> {
    window.clearTimeout(this.#timer);
    const turn = ++this.#turn;
    const params = this.#params();
    if (params === undefined) {
      this.#result.replaceChildren();
      this.#tell(undefined);
      return;
    }
    try {
      const reply = await this.#engine.call("propose", params, "propose");
      if (turn === this.#turn) this.#showReply(reply);
    } catch (error) {
      if (error instanceof Superseded || turn !== this.#turn) return;
      this.#tell(reasonOf(error));
    }
  }

  #showReply(reply: Proposed): void {
    const problems = reply.problems ?? [];
    this.#editors.object?.showProblems(problems);
    const first = problems.find((p) => p.severity === "error");
    if (first !== undefined) {
      this.#tell(`Line ${first.line ?? 1}, column ${first.column ?? 1}: ${first.summary}`);
      return;
    }
    this.#reply = reply;
    this.#tell(undefined);
    this.#result.innerHTML = trustedHTML(reply.html);
  }

  /** Shows what is wrong; the last proposals stay, dimmed. */
  #tell(problem: string | undefined): void {
    this.#problem.hidden = problem === undefined;
    this.#problem.textContent = problem ?? "";
    this.#result.classList.toggle("is-stale", problem !== undefined);
  }

  async #use(name: string, action: string | undefined): Promise<void> {
    const policy = this.#reply?.policies[name];
    if (policy === undefined) return;
    if (action === "copy") {
      const done = await copy(policy);
      if (done) confirmation(this.#source?.from === "skip" ? "Match condition copied." : "Policy and binding copied.");
      else notice("The browser does not allow copying. Unfold the policy and select it.");
      return;
    }
    const { place, answer } = this.#reply ?? {};
    const replaces = action === "replace" && place !== undefined;
    let added = "Added the policy and its binding.";
    if (this.#source?.from === "skip") added = "Added the match condition to the webhook.";
    else if (replaces) added = "The policy and its binding replaced the webhook.";
    this.close();
    this.#events.onPolicy(policy, added, replaces ? { place, answer } : undefined);
  }
}
