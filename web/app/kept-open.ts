// Opens the list of earlier work, which is loaded when it is first needed.

import { byID } from "./dom.ts";
import type { KeptDialog, KeptEvents } from "./kept-dialog.ts";
import { notice } from "./notice.ts";

export function installKept(events: KeptEvents): void {
  let dialog: Promise<KeptDialog> | undefined;
  byID("earlier-work", HTMLButtonElement).addEventListener("click", () => {
    byID("new-menu", HTMLDetailsElement).open = false;
    dialog ??= import("./kept-dialog.ts").then(({ KeptDialog }) => new KeptDialog(events));
    dialog.then(
      (list) => list.open(),
      (error: unknown) => {
        dialog = undefined;
        notice(`The list could not be loaded: ${error instanceof Error ? error.message : String(error)}`);
      },
    );
  });
}
