// A problem as the editor shows it on hover: the code leads to its explanation
// in the documentation, and related places to where they are. The list of
// problems below the editors has the same, for who uses no pointer.

import type { Diagnostic as Lint } from "@codemirror/lint";

import type { Offsets } from "./offsets.ts";
import type { Diagnostic, Related } from "./protocol.ts";

/** What the page does for a problem; by default nothing, as where nothing can be edited. */
export interface ProblemActions {
  onFix?(d: Diagnostic, index: number): void;
  onJump?(place: Related): void;
}

/** Where the documentation explains a code. */
export function explanationOf(code: string): string {
  return `/docs/diagnostics/#${encodeURIComponent(code)}`;
}

export function lintOf(d: Diagnostic, offsets: Offsets, actions: ProblemActions): Lint {
  const from = offsets.toUnits(d.span.start);
  return {
    from,
    to: Math.max(from, offsets.toUnits(d.span.end)),
    severity: d.severity,
    message: d.detail ? `${d.summary}\n${d.detail}` : d.summary,
    renderMessage: () => message(d, actions),
    actions: (d.fixes ?? []).map((fix, index) => ({ name: fix.title, apply: () => actions.onFix?.(d, index) })),
  };
}

function message(d: Diagnostic, actions: ProblemActions): HTMLElement {
  const root = document.createElement("span");
  root.append(d.detail ? `${d.summary}\n${d.detail}` : d.summary, " ");
  const link = document.createElement("a");
  link.className = "cm-diagnosticCode";
  link.href = explanationOf(d.code);
  link.target = "_blank";
  link.rel = "noopener";
  link.textContent = d.code;
  root.append(link);
  for (const place of d.related ?? []) {
    const jump = document.createElement("button");
    jump.type = "button";
    jump.className = "cm-diagnosticPlace";
    jump.textContent = `${place.text} ${place.line}:${place.column}`;
    jump.addEventListener("click", () => actions.onJump?.(place));
    root.append("\n", jump, ` ${place.summary}`);
  }
  return root;
}
