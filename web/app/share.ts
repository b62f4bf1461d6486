// The dialog that shows the link, how long it is, and the ways out when it is
// too long for the place it is meant for. Loaded when it is first needed (share-open.ts).

import { byID, copy } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { downloadMarkdown, downloadTxtar, downloadZip, markdown } from "./files.ts";
import { encodeLink, LinkError } from "./link.ts";
import { confirmation, notice } from "./notice.ts";
import { rememberLink } from "./own-links.ts";
import type { Seen } from "./permalink.ts";
import type { Case, PictureParams, Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import { found, secretIn } from "./secrets.ts";
import type { PicturePanel } from "./share/picture-panel.ts";
import type { EmbedPanel, Shared } from "./share/embed-panel.ts";
import { shownOutcome } from "./shown-outcome.ts";
import { keep, opened, same } from "./store.ts";
import { installTabs, type Tabs } from "./tabs.ts";

/** Where programs begin to cut links, in characters. */
const LONG = 2000;
const TOO_LONG = 4000;

/** What the dialog asks the page for. */
export interface ShareEvents {
  scenario(): Scenario;
  cases(): readonly Case[];
  seen(): Seen;
  /** Makes the texts those of a scenario. */
  put(scenario: Scenario): void;
  /** The example of the site that is shown, if nobody has changed it. */
  example(): string | undefined;
  /** The report that is shown; undefined before there is one. */
  report(): number | undefined;
}

export class ShareDialog {
  readonly #dialog = byID("share-dialog", HTMLDialogElement);
  readonly #link = byID("share-link", HTMLInputElement);
  readonly #events: ShareEvents;
  readonly #where = byID("share-where", HTMLInputElement);
  readonly #secret = byID("share-secret", HTMLElement);
  readonly #remove = byID("share-secret-remove", HTMLButtonElement);
  readonly #engine: EngineClient;
  #act: () => void = () => undefined;
  readonly #tabs: Tabs;
  #embed: Promise<EmbedPanel> | undefined;
  #picture: Promise<PicturePanel> | undefined;

  constructor(engine: EngineClient, events: ShareEvents) {
    this.#engine = engine;
    this.#events = events;
    this.#tabs = installTabs(byID("share-tabs", HTMLElement), () => void this.#showTab());
    this.#remove.addEventListener("click", () => this.#act());
    this.#where.addEventListener("change", () => {
      this.#fill();
      this.#link.select();
    });
    const on = (id: string, run: () => Promise<void>): void =>
      byID(id, HTMLButtonElement).addEventListener("click", () => {
        run().catch((error: unknown) => notice(reasonOf(error)));
      });
    on("share-copy", () => this.copyLink());
    on("share-markdown", async () => {
      const done = await copy(markdown(this.#events.scenario(), this.#link.value));
      if (done) confirmation("Copied as Markdown.");
      else notice("The browser does not allow copying. Download the file instead.");
    });
    on("share-txtar", () => downloadTxtar(engine, this.#events.scenario()));
    on("share-zip", () => downloadZip(engine, this.#events.scenario()));
    on("share-md", async () => downloadMarkdown(this.#events.scenario(), this.#link.value));
  }

  open(): void {
    if (this.#fill() === undefined) return;
    this.#lookForSecrets();
    if (!this.#dialog.open) this.#dialog.showModal();
    if (this.#tabs.selected === "share-link-panel") this.#link.select();
    void this.#showTab();
  }

  /** There is another result: what shows one is made anew. */
  follow(): void {
    if (this.#dialog.open && this.#tabs.selected !== "share-link-panel") void this.#showTab();
  }

  /** Fills the tab that is open, whose script is loaded now. */
  async #showTab(): Promise<void> {
    try {
      if (this.#tabs.selected === "share-embed") (await this.#embedPanel()).show(this.#shared);
      if (this.#tabs.selected === "share-picture") await (await this.#picturePanel()).show(this.#pictured);
    } catch (error) {
      notice(`This tab could not be filled: ${reasonOf(error)}`);
    }
  }

  #embedPanel(): Promise<EmbedPanel> {
    this.#embed ??= import("./share/embed-panel.ts").then(
      ({ EmbedPanel }) => new EmbedPanel(byID("share-embed", HTMLElement)),
    );
    this.#embed.catch(() => (this.#embed = undefined)); // the next time it is loaded again
    return this.#embed;
  }

  #picturePanel(): Promise<PicturePanel> {
    this.#picture ??= import("./share/picture-panel.ts").then(
      ({ PicturePanel }) =>
        new PicturePanel(byID("share-picture", HTMLElement), (params) => this.#engine.call("picture", params)),
    );
    this.#picture.catch(() => (this.#picture = undefined));
    return this.#picture;
  }

  /** What the picture is of; an example of the site has a shorter link. */
  get #pictured(): PictureParams | undefined {
    const id = this.#events.report();
    const scenario = this.#events.scenario();
    const example = this.#events.example();
    const link = example === undefined ? this.#link.value : `${location.origin}${location.pathname}#example=${example}`;
    return id === undefined ? undefined : { id, title: scenario.title || "A scenario", link };
  }

  get #shared(): Shared {
    const hash = new URL(this.#link.value, location.href).hash;
    return {
      scenario: this.#events.scenario(),
      example: this.#events.example(),
      fragment: hash === "" ? undefined : hash,
      ...shownOutcome(),
    };
  }

  /** Copies the link; shows the dialog when that is not possible, or not wise. */
  async copyLink(): Promise<void> {
    const link = this.#fill();
    if (link === undefined) return;
    this.#tabs.select("share-link-panel");
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
    const scenario = this.#events.scenario();
    let fragment: string;
    try {
      fragment = encodeLink(scenario, this.#where.checked ? this.#events.seen() : undefined);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      notice(error.message);
      return undefined;
    }
    const link = location.origin + location.pathname + fragment;
    keep({ scenario, cases: this.#events.cases() });
    history.replaceState(history.state, "", fragment);
    opened({ scenario, cases: this.#events.cases() }); // the address names it now
    rememberLink(fragment);
    this.#link.value = link;
    const length = link.length;
    byID("share-length", HTMLElement).textContent = `${length.toLocaleString("en")} characters.`;
    byID("share-warning", HTMLElement).textContent =
      length > TOO_LONG
        ? "Most chats and many mail programs cut links this long. Send it as Markdown or as a file."
        : length > LONG
          ? "Some chats cut links of more than 2,000 characters. Markdown or a file is safer there."
          : "";
    this.#dialog.querySelector(".link-length")?.classList.toggle("is-long", length > LONG);
    return link;
  }

  /** Warns of secret values: at once of what looks like some, and then of those that the engine finds. */
  #lookForSecrets(): void {
    const scenario = this.#events.scenario();
    const first = secretIn(scenario);
    this.#hint(first === undefined ? "" : `Look before you send: ${first}`);
    void this.#engine.call("secrets", { scenario }).then(
      (reply) => {
        if (!same(scenario, this.#events.scenario())) return;
        if (reply.found.length === 0 && reply.unread.length > 0) return; // the first look is all there is
        this.#hint(found(reply), "Remove secret values", () => {
          if (!same(scenario, this.#events.scenario())) return;
          this.#change(reply.scenario);
          const values = reply.found.length === 1 ? "1 value has" : `${String(reply.found.length)} values have`;
          this.#hint(`${values} a placeholder now. Check the rest: only you know what is secret.`, "Undo", () => {
            if (same(reply.scenario, this.#events.scenario())) this.#change(scenario);
            this.#lookForSecrets();
          });
        });
      },
      () => undefined, // the engine is not there: the first look stays
    );
  }

  /** Puts another scenario on the page and into the link. */
  #change(scenario: Scenario): void {
    this.#events.put(scenario);
    this.#fill();
    void this.#showTab();
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
