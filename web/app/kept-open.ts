// Opens what is kept on this machine, which is loaded when it is first needed.

import { byID } from "./dom.ts";
import type { KeptDialog, KeptEvents } from "./kept/kept-dialog.ts";
import { notice } from "./notice.ts";
import { reasonOf } from "./reason.ts";

export function installKept(events: KeptEvents): void {
  let dialog: Promise<KeptDialog> | undefined;
  const menu = byID("new-menu", HTMLDetailsElement);
  menu.addEventListener("click", (event) => {
    if ((event.target as Element).closest("#kept") === null) return;
    menu.open = false;
    dialog ??= import("./kept/kept-dialog.ts").then(({ KeptDialog }) => new KeptDialog(events));
    dialog.then(
      (kept) => kept.open(),
      (error: unknown) => {
        dialog = undefined;
        notice(`The list could not be loaded: ${reasonOf(error)}`);
      },
    );
  });
}
