// The ways to a scenario of one's own that stand in the page's head: files that are chosen or
// dropped, drafts to begin with, and empty texts to paste into.

import { EMPTY } from "./arrival.ts";
import { byID } from "./dom.ts";
import { installChooser, installDrop, type PathFile } from "./drop.ts";
import { notice, type Action } from "./notice.ts";
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
  installStarts((draft, name) => {
    const former = page.work();
    const { hash } = location;
    const { kubernetes = "" } = former.scenario;
    // Without a request the page looks for some that the policies deny or admit.
    const again = name === "request";
    const scenario = again ? { ...former.scenario, request: "", expression: "" } : { ...draft, kubernetes };
    page.restore({ scenario, cases: again ? former.cases : [] }, "");
    page.toText(TEXTS.find((text) => scenario[text]) ?? "policies");
    if (again) notice("Your earlier request is kept.", goTo(page, former, hash));
  });
  byID("paste-yours", HTMLAnchorElement).addEventListener("click", (event) => {
    event.preventDefault();
    pasteYours(page);
  });
}

function goTo(page: WaysIn, work: Work, hash: string): Action {
  return { name: "Go back", run: () => page.restore(work, hash) };
}

/** What the empty page took the place of, and the way back to it. */
let left: { said: string; back: Action } | undefined;

/** The way back from the page to paste into, while that is empty. */
export function wayBack(): Action | undefined {
  return byID("workbench", HTMLElement).classList.contains("is-empty") ? left?.back : undefined;
}

/** Offers it again: what was pasted has been taken back. */
export function offerBack(): void {
  const back = wayBack();
  if (back !== undefined) notice(left?.said ?? "", back);
}

/** Empty texts, with the cursor where policies are pasted; the way back is offered. */
function pasteYours(page: WaysIn): void {
  const former = page.work();
  const back = wayBack() ?? goTo(page, former, location.hash);
  left = { said: isChanged() ? "Your earlier text is still there." : "The example is still there.", back };
  page.restore({ scenario: { kubernetes: former.scenario.kubernetes ?? "" }, cases: [] }, EMPTY);
  page.toText("policies");
  offerBack();
}
