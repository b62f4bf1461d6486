// The fields above the request text: who asks for what, and the old object. With a plain object
// they are settings of the scenario (options.request), and the text stays as it is. An
// AdmissionReview says all of it itself, so that they edit its text (engine/edit/requesttext).

import { byID } from "./dom.ts";
import { Editor } from "./editor.ts";
import { Superseded, type EngineClient } from "./engine-client.ts";
import { OLD_OBJECT_HINT } from "./hints.ts";
import { languageOf } from "./languages.ts";
import { notice } from "./notice.ts";
import type { Changes, Formed, Options, Report, RequestChange, Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";

/** How long after the last key what is written goes into the request, in milliseconds. */
const DEBOUNCE = 150;

const UNREADABLE = "The old object has a syntax error. This is the last valid result.";

export class RequestForm {
  readonly #engine: EngineClient;
  readonly #scenario: () => Scenario;
  readonly #put: (request: string, options: Options) => void;
  /** Says that the result is older than the old object, or no longer. */
  readonly #stale: (why: string | undefined) => void;
  readonly #operation = byID("request-operation", HTMLSelectElement);
  readonly #user = byID("request-user", HTMLInputElement);
  readonly #groups = byID("request-groups", HTMLTextAreaElement);
  readonly #subResource = byID("request-subresource", HTMLInputElement);
  readonly #dryRun = byID("request-dry-run", HTMLInputElement);
  readonly #part = byID("request-part", HTMLElement);
  readonly #whole = byID("request-whole", HTMLButtonElement);
  readonly #old = byID("request-old", HTMLButtonElement);
  readonly #oldHost = byID("old-object", HTMLElement);
  #oldEditor: Editor | undefined;
  #report: Report | undefined;
  #timer = 0;
  /** How many changes of the reader the engine has not answered. */
  #changing = 0;
  /** What the last change of the operation made of the request: the other one is one object poorer. */
  #former: { operation: string; request: string; became: string } | undefined;

  constructor(
    engine: EngineClient,
    scenario: () => Scenario,
    put: (request: string, options: Options) => void,
    stale: (why: string | undefined) => void,
  ) {
    this.#engine = engine;
    this.#scenario = scenario;
    this.#put = put;
    this.#stale = stale;
    const change = (element: HTMLElement, changes: () => Changes): void =>
      element.addEventListener("change", () => void this.#set(changes()));
    this.#operation.addEventListener("change", () => void this.#setOperation(this.#operation.value));
    this.#user.addEventListener("input", () => this.#soon(() => ({ user: this.#user.value.trim() })));
    change(this.#groups, () => ({
      groups: this.#groups.value
        .split(/[,\n]/)
        .map((g) => g.trim())
        .filter((g) => g !== ""),
    }));
    change(this.#subResource, () => ({ subResource: this.#subResource.value.trim() }));
    change(this.#dryRun, () => ({ dryRun: this.#dryRun.checked }));
    this.#whole.addEventListener("click", () => this.showWhole());
    this.#old.addEventListener("click", () => this.#showOld());
  }

  /** Shows what was evaluated; a field that the reader is writing in is left alone. */
  show(report: Report): void {
    this.#report = report;
    const request = report.request;
    const hasOld = request?.operation === "UPDATE" || request?.operation === "DELETE";
    this.#part.hidden = !hasOld;
    if (!hasOld) this.showWhole();
    if (request === undefined || this.#changing > 0) return; // a result of before would undo the reader's change
    this.#fill(request);
    // This result comes from writing in the old object.
    if (!this.#oldHost.hidden && document.activeElement !== this.#oldHost) void this.#fillOld();
  }

  #fill(request: NonNullable<Report["request"]>): void {
    const set = (input: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement, value: string): void => {
      if (document.activeElement !== input || input.value === input.dataset["shown"]) input.value = value;
      input.dataset["shown"] = value;
    };
    set(this.#operation, request.operation);
    set(this.#user, request.user);
    set(this.#groups, (request.groups ?? []).join(", "));
    set(this.#subResource, request.subResource ?? "");
    this.#dryRun.checked = request.dryRun;
  }

  /** Shows the request text, all of it. */
  showWhole(): void {
    this.#showPart(false);
  }

  #showOld(): void {
    this.#showPart(true);
    void this.#fillOld();
    this.#oldEditor?.focus();
  }

  #showPart(old: boolean): void {
    this.#old.ariaPressed = String(old);
    this.#whole.ariaPressed = String(!old);
    this.#oldHost.hidden = !old;
    byID("panel-request", HTMLElement).classList.toggle("is-old-object", old);
    if (!old) return;
    this.#oldEditor ??= new Editor({
      host: this.#oldHost,
      label: "Old object, YAML",
      text: "",
      hint: OLD_OBJECT_HINT,
      language: languageOf("request"),
      onChange: () => this.#soon(() => ({ oldObject: this.#oldEditor?.text ?? "" })),
    });
  }

  /** Makes a change while the reader writes. */
  #soon(changes: () => Changes): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#set(changes()), DEBOUNCE);
  }

  async #fillOld(): Promise<void> {
    const reply = await this.#ask(undefined);
    if (reply !== undefined) this.#oldEditor?.setText(reply.oldObject);
  }

  /** Makes a change that comes from beside the form, and says what was done. */
  async change({ operation, user, groups, force, fieldManager }: RequestChange, done: string): Promise<void> {
    const set = {
      ...(operation && { operation }),
      ...(user && { user }),
      ...(groups && { groups }),
      ...(fieldManager ? { apply: { fieldManager, ...(force && { force }) } } : force && { force }),
    };
    await this.#set(set, done);
  }

  /** Another operation has other objects: the way back to the one before brings back both as they were. */
  async #setOperation(operation: string): Promise<void> {
    const { request = "", options = {} } = this.#scenario();
    const former = this.#former;
    if (former?.operation === operation && former.became === request) {
      this.#former = undefined;
      return this.#put(former.request, options);
    }
    const before = this.#report?.request?.operation ?? "CREATE";
    await this.#set({ operation });
    const became = this.#scenario().request ?? "";
    this.#former = became === request ? undefined : { operation: before, request, became };
  }

  async #set(changes: Changes, done?: string): Promise<void> {
    this.#changing++;
    const reply = await this.#ask(changes).finally(() => this.#changing--);
    this.#oldEditor?.showProblems(reply?.problems ?? []);
    if (reply === undefined) return;
    const unreadable = (reply.problems ?? []).length > 0;
    if (changes.oldObject !== undefined) this.#stale(unreadable ? UNREADABLE : undefined);
    if (unreadable) return;
    const { request: before = "", options = {} } = this.#scenario();
    const { request: _, ...rest } = options;
    this.#put(reply.text, {
      ...rest,
      ...(reply.request !== undefined && { request: reply.request }),
    });
    if (done !== undefined) notice(`${done}: done.`, { name: "Undo", run: () => this.#put(before, options) });
  }

  /** Undefined when it cannot be done; the reader sees why, and the fields show the text again. */
  async #ask(set: Changes | undefined): Promise<Formed | undefined> {
    try {
      return await this.#engine.call(
        "request/form",
        { scenario: this.#scenario(), ...(set !== undefined && { set }) },
        set?.oldObject === undefined ? undefined : "oldObject",
      );
    } catch (error) {
      if (error instanceof Superseded) return undefined;
      notice(reasonOf(error));
      this.#reset();
      return undefined;
    }
  }

  #reset(): void {
    if (this.#report?.request !== undefined) {
      this.#fill(this.#report.request);
      this.#operation.value = this.#report.request.operation;
      return;
    }
    this.#operation.value = "CREATE";
    for (const input of [this.#user, this.#groups, this.#subResource]) input.value = "";
    this.#dryRun.checked = false;
  }
}
