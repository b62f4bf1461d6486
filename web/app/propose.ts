// From a result to a policy: the reader changes the object by hand and gets the
// policies that make that change (engine/propose), tried out by the engine.

import { byID } from "./dom.ts";
import { Editor } from "./editor.ts";
import type { EngineClient } from "./engine-client.ts";
import { languageOf } from "./languages.ts";
import type { EvaluateReply, ProposeReply, Scenario } from "./protocol.ts";

export class ProposeView {
  readonly #engine: EngineClient;
  readonly #scenario: () => Scenario;
  readonly #onPolicy: (policy: string) => void;
  readonly #box = byID("propose", HTMLElement);
  readonly #start = byID("propose-start", HTMLButtonElement);
  readonly #result = byID("propose-result", HTMLElement);
  #editor: Editor | undefined;
  #reply: ProposeReply | undefined;
  #object = "";

  constructor(engine: EngineClient, scenario: () => Scenario, onPolicy: (policy: string) => void) {
    this.#engine = engine;
    this.#scenario = scenario;
    this.#onPolicy = onPolicy;
    this.#start.addEventListener("click", () => this.#open());
    byID("propose-run", HTMLButtonElement).addEventListener("click", () => void this.#propose());
    byID("propose-close", HTMLButtonElement).addEventListener("click", () => this.close());
    this.#result.addEventListener("click", (event) => {
      const type = (event.target as Element).closest<HTMLElement>("[data-use-policy]")?.dataset["usePolicy"];
      const proposal = [this.#reply?.applyConfiguration, this.#reply?.jsonPatch].find((p) => p?.patchType === type);
      if (type === undefined || proposal?.policy === undefined) return;
      this.close();
      this.#onPolicy(proposal.policy);
    });
  }

  /** Takes the object of a new result. An object that is being edited stays. */
  show(reply: EvaluateReply): void {
    this.#object = reply.yaml.edit;
    this.#start.disabled = this.#object === "";
  }

  close(): void {
    this.#box.hidden = true;
    this.#start.hidden = false;
    byID("view-object", HTMLElement).classList.remove("is-editing");
    this.#start.focus();
  }

  #open(): void {
    this.#box.hidden = false;
    this.#start.hidden = true;
    byID("view-object", HTMLElement).classList.add("is-editing");
    this.#result.replaceChildren();
    this.#editor ??= new Editor({
      host: byID("propose-editor", HTMLElement),
      label: "The object as you want it, YAML",
      text: "",
      hint: "",
      language: languageOf("request"),
      onChange: () => undefined,
    });
    this.#editor.setText(this.#object);
    this.#editor.focus();
  }

  async #propose(): Promise<void> {
    const params = { scenario: this.#scenario(), after: this.#editor?.text ?? "" };
    try {
      this.#reply = (await this.#engine.call({ method: "propose", params })) as ProposeReply;
      this.#result.innerHTML = this.#reply.html; // escaped by the components
    } catch (error) {
      const message = document.createElement("p");
      message.className = "reason is-error";
      message.textContent = error instanceof Error ? error.message : String(error);
      this.#result.replaceChildren(message);
    }
    this.#result.focus();
  }
}
