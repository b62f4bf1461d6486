// The dialog that shows the link, how long it is, and the ways out when it is
// too long for the place it is meant for.

import { byID, copy } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { downloadMarkdown, downloadTxtar, downloadZip, markdown } from "./files.ts";
import { encodeLink, LinkError, type Seen } from "./link.ts";
import { confirmation, notice } from "./notice.ts";
import { rememberLink } from "./own-links.ts";
import type { Case, Scenario } from "./protocol.ts";
import { found, secretIn } from "./secrets.ts";
import { keep, opened, same } from "./store.ts";

/** Where programs begin to cut links, in characters. */
const LONG = 2000;
const TOO_LONG = 4000;

export class ShareDialog {
  readonly #dialog = byID("share-dialog", HTMLDialogElement);
  readonly #link = byID("share-link", HTMLInputElement);
  readonly #scenario: () => Scenario;
  readonly #cases: () => readonly Case[];
  readonly #seen: () => Seen;
  readonly #where = byID("share-where", HTMLInputElement);
  readonly #secret = byID("share-secret", HTMLElement);
  readonly #remove = byID("share-secret-remove", HTMLButtonElement);
  readonly #engine: EngineClient;
  readonly #put: (scenario: Scenario) => void;
  #act: () => void = () => undefined;

  constructor(
    engine: EngineClient,
    scenario: () => Scenario,
    cases: () => readonly Case[],
    seen: () => Seen,
    put: (scenario: Scenario) => void,
  ) {
    this.#engine = engine;
    this.#scenario = scenario;
    this.#cases = cases;
    this.#seen = seen;
    this.#put = put;
    this.#remove.addEventListener("click", () => this.#act());
    this.#where.addEventListener("change", () => {
      this.#fill();
      this.#link.select();
    });
    const on = (id: string, run: () => Promise<void>): void =>
      byID(id, HTMLButtonElement).addEventListener("click", () => {
        run().catch((error: unknown) => notice(error instanceof Error ? error.message : String(error)));
      });
    on("share-copy", () => this.copyLink());
    on("share-markdown", async () => {
      const done = await copy(markdown(this.#scenario(), this.#link.value));
      if (done) confirmation("Copied as Markdown.");
      else notice("The browser does not allow copying here. Download the file instead.");
    });
    on("share-txtar", () => downloadTxtar(engine, this.#scenario()));
    on("share-zip", () => downloadZip(engine, this.#scenario()));
    on("share-md", async () => downloadMarkdown(this.#scenario(), this.#link.value));
  }

  open(): void {
    if (this.#fill() === undefined) return;
    this.#lookForSecrets();
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#link.select();
  }

  /** Copies the link; shows the dialog when that is not possible, or not wise. */
  async copyLink(): Promise<void> {
    const link = this.#fill();
    if (link === undefined) return;
    const copied = await copy(link);
    this.#lookForSecrets();
    if (copied && link.length <= LONG && this.#secret.hidden) {
      this.#dialog.close();
      confirmation(`Link copied, ${link.length.toLocaleString("en")} characters.`);
      return;
    }
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#link.select();
    if (copied) confirmation(`Link copied, ${link.length.toLocaleString("en")} characters.`);
  }

  /** Makes the link and puts it into the address bar. */
  #fill(): string | undefined {
    const scenario = this.#scenario();
    let fragment: string;
    try {
      fragment = encodeLink(scenario, this.#where.checked ? this.#seen() : undefined);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      notice(error.message);
      return undefined;
    }
    const link = location.origin + location.pathname + fragment;
    keep({ scenario, cases: this.#cases() });
    history.replaceState(history.state, "", fragment);
    opened({ scenario, cases: this.#cases() }); // the address names it now
    rememberLink(fragment);
    this.#link.value = link;
    const length = link.length;
    byID("share-length", HTMLElement).textContent = `${length.toLocaleString("en")} characters.`;
    byID("share-warning", HTMLElement).textContent =
      length > TOO_LONG
        ? "Most chats and many mail programs cut links as long as this. Send it as Markdown or as a file."
        : length > LONG
          ? "Some chats cut links of more than 2,000 characters. Markdown or a file is safer there."
          : "";
    this.#dialog.querySelector(".link-length")?.classList.toggle("is-long", length > LONG);
    return link;
  }

  /** Warns of secret values: at once of what looks like some, and then of those that the engine finds. */
  #lookForSecrets(): void {
    const scenario = this.#scenario();
    const first = secretIn(scenario);
    this.#hint(first === undefined ? "" : `Look before you send: ${first}`);
    void this.#engine.call("secrets", { scenario }).then(
      (reply) => {
        if (!same(scenario, this.#scenario())) return;
        if (reply.found.length === 0 && reply.unread.length > 0) return; // the first look is all there is
        this.#hint(found(reply), "Remove secret values", () => {
          if (!same(scenario, this.#scenario())) return;
          this.#change(reply.scenario);
          const values = reply.found.length === 1 ? "1 value has" : `${String(reply.found.length)} values have`;
          this.#hint(
            `${values} a placeholder now. Look whether that is all: only you know what is secret.`,
            "Undo",
            () => {
              if (same(reply.scenario, this.#scenario())) this.#change(scenario);
              this.#lookForSecrets();
            },
          );
        });
      },
      () => undefined, // the engine is not there: the first look stays
    );
  }

  /** Puts another scenario on the page and into the link. */
  #change(scenario: Scenario): void {
    this.#put(scenario);
    this.#fill();
  }

  /** Shows a sentence about secrets, and what can be done; an empty one hides it. */
  #hint(text: string, does = "", act: () => void = () => undefined): void {
    this.#secret.hidden = text === "";
    byID("share-secret-text", HTMLElement).textContent = text;
    this.#remove.hidden = does === "";
    this.#remove.textContent = does;
    this.#act = act;
  }
}
