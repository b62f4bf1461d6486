// Opens the list of functions, which is loaded when it is first needed.

import { byID } from "./dom.ts";
import type { FunctionsDialog, FunctionsEvents } from "./functions-dialog.ts";
import { notice } from "./notice.ts";
import { reasonOf } from "./reason.ts";

export function installFunctions(events: FunctionsEvents): void {
  let dialog: Promise<FunctionsDialog> | undefined;
  byID("functions", HTMLButtonElement).addEventListener("click", () => {
    dialog ??= import("./functions-dialog.ts").then(({ FunctionsDialog }) => new FunctionsDialog(events));
    dialog
      .then((list) => list.open())
      .catch((error: unknown) => {
        dialog = undefined;
        notice(`The functions could not be listed: ${reasonOf(error)}`);
      });
  });
}
