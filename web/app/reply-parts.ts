// The parts of a reply to an evaluation that a key seldom changes: the problems and the list of
// documents. The engine leaves out those that the page has from an earlier reply.

import type { Diagnostic, Evaluated, Prints } from "./protocol.ts";

/** The parts of a reply, which later replies may leave out. */
export interface ReplyParts {
  prints: Prints;
  diagnostics: Diagnostic[];
  problems: string;
  documents: string;
}

/** Adds the parts that a reply leaves out, from the earlier reply whose prints its call had, and returns all of its parts. */
export function completed({ report, html, prints }: Evaluated, earlier: ReplyParts | undefined): ReplyParts {
  if (earlier !== undefined && earlier.prints.problems === prints.problems) {
    report.diagnostics = earlier.diagnostics;
    html.problems = earlier.problems;
  }
  if (earlier !== undefined && earlier.prints.documents === prints.documents) html.documents = earlier.documents;
  const { problems, documents } = html;
  return { prints, diagnostics: report.diagnostics, problems, documents };
}
