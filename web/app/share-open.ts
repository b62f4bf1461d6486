// The Share dialog, which is loaded when the page is at rest or when it is asked for.

import { byID, whenIdle } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { notice } from "./notice.ts";
import { reasonOf } from "./reason.ts";
import type { ShareDialog, ShareEvents } from "./share.ts";

export class Share {
  readonly #engine: EngineClient;
  readonly #events: ShareEvents;
  #loading: Promise<ShareDialog> | undefined;
  /** The dialog once it is there: then a click copies at once, which some browsers ask for. */
  #dialog: ShareDialog | undefined;

  constructor(engine: EngineClient, events: ShareEvents) {
    this.#engine = engine;
    this.#events = events;
    byID("share", HTMLButtonElement).addEventListener("click", () => this.open());
  }

  /** Loads the dialog when the browser has time, so that it is there without a network, too. */
  prepare(): void {
    whenIdle(() => void this.#load().catch(() => undefined)); // asking for it tries again
  }

  open(): void {
    this.#with((dialog) => dialog.open());
  }

  /** Copies the link; shows the dialog when that is not possible, or not wise. */
  copyLink(): void {
    this.#with((dialog) => void dialog.copyLink());
  }

  /** There is another result. */
  follow(): void {
    this.#dialog?.follow();
  }

  #with(use: (dialog: ShareDialog) => void): void {
    if (this.#dialog !== undefined) return use(this.#dialog);
    this.#load().then(use, (error: unknown) => notice(`Sharing could not be loaded: ${reasonOf(error)}`));
  }

  #load(): Promise<ShareDialog> {
    this.#loading ??= import("./share.ts").then(
      ({ ShareDialog }) => (this.#dialog ??= new ShareDialog(this.#engine, this.#events)),
    );
    this.#loading.catch(() => (this.#loading = undefined)); // the next time it is loaded again
    return this.#loading;
  }
}
