// The ways to a scenario of one's own that stand in the page's head: files that are chosen or
// dropped, drafts to begin with, and empty texts to paste into.

import { EMPTY } from "./arrival.ts";
import { byID } from "./dom.ts";
import { installChooser, installDrop, type PathFile } from "./drop.ts";
import { notice } from "./notice.ts";
import { installStarts } from "./starts.ts";
import { isChanged, type Work } from "./store.ts";
import { TEXTS, type TextName } from "./texts.ts";

export interface WaysIn {
  /** What is on the page. */
  work(): Work;
  /** Shows another scenario; what was there stays in the history. */
  restore(work: Work, hash: string): void;
  /** Opens files: scenarios, manifests, tests, captures. */
  open(files: PathFile[]): void;
  /** Makes a table of files, whatever they are. */
  table(files: readonly File[]): void;
  /** Shows a text, with the cursor in it. */
  toText(text: TextName): void;
}

export function installWaysIn(page: WaysIn): void {
  for (const id of ["open-files", "open-folder"]) {
    installChooser(byID(id, HTMLInputElement), (files) => page.open(files));
  }
  installDrop(
    document.body,
    (files, on) => {
      if (on.closest("#view-table") === null) page.open(files);
      else page.table(files.map(({ file }) => file));
    },
    notice,
  );
  installStarts((scenario) => {
    page.restore({ scenario, cases: [] }, "");
    page.toText(TEXTS.find((text) => scenario[text]) ?? "policies");
  });
  byID("paste-yours", HTMLAnchorElement).addEventListener("click", (event) => {
    event.preventDefault();
    pasteYours(page);
  });
}

/** Empty texts, with the cursor where policies are pasted; the way back is offered. */
function pasteYours(page: WaysIn): void {
  const former = page.work();
  const changed = isChanged();
  const { hash } = location;
  page.restore({ scenario: {}, cases: [] }, EMPTY);
  page.toText("policies");
  notice(changed ? "Your earlier text is kept." : "The example is kept.", {
    name: "Go back",
    run: () => page.restore(former, hash),
  });
}
