// What a run in the history differs in from the one before it.

import type { Run } from "../runs.ts";
import { TEXTS, type TextName } from "../texts.ts";

/** What is different from the run before. */
export interface RunChange {
  /** The verdict of the run before, if it was another. */
  verdict?: string;
  message: boolean;
  object: boolean;
  texts: TextName[];
  /** The version of Kubernetes of the run before, if it was another. */
  kubernetes?: string;
  settings: boolean;
}

/** What a run differs in from the one before it. */
export function changeOf(run: Run, before: Run): RunChange {
  const [a, b] = [before.scenario, run.scenario];
  const settings = (s: Run["scenario"]): string =>
    JSON.stringify([s.options ?? {}, s.expressionContext ?? "", s.now ?? "", s.beforeValidation ?? {}]);
  return {
    ...(before.verdict !== run.verdict && { verdict: before.verdict }),
    message: before.message !== run.message,
    object: before.object !== run.object,
    texts: TEXTS.filter((text) => (a[text] ?? "") !== (b[text] ?? "")),
    ...((a.kubernetes ?? "") !== (b.kubernetes ?? "") && { kubernetes: a.kubernetes ?? "" }),
    settings: settings(a) !== settings(b),
  };
}
