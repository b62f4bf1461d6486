// How kept work is called in lists, and what the reader hears when it cannot be kept.

import { button, make } from "../elements.ts";
import type { Trouble, Work } from "../kept.ts";
import { TEXTS } from "../texts.ts";

/** What the reader hears when a list of their own cannot be written. */
export const NOT_SAVED: Record<Trouble, string> = {
  off: "This browser stores nothing for this site, so nothing was saved. Share or download what you need.",
  full: "This browser's storage is full. Nothing was saved. Remove kept work, or download the scenario under Share.",
  newer: "A newer version of this page wrote this list, so nothing was saved. Reload the page.",
  nothing: "Nothing was saved, because you chose to keep nothing on this machine.",
};

/** How much of a line is taken for a title, in characters. */
const LONGEST = 60;

/** The title; without one the first document that has a kind, or the first line. */
export function titleOf({ scenario }: Work): string {
  if (scenario.title) return scenario.title;
  for (const text of TEXTS) {
    const kind = /^kind:\s*["']?(\w+)/m.exec(scenario[text] ?? "")?.[1];
    const name = /^\s*name:\s*["']?([\w.-]+)/m.exec(scenario[text] ?? "")?.[1];
    if (kind !== undefined) return name === undefined ? kind : `${kind} ${name}`;
  }
  const line = TEXTS.map((text) => (scenario[text] ?? "").trim()).find((text) => text !== "");
  return line === undefined ? "Without a title" : (line.split("\n")[0] ?? "").slice(0, LONGEST);
}

/** When it was, with the day unless that is today. */
export function timeOf(at: number, style: "short" | "medium" = "short"): string {
  const when = new Date(at);
  const today = when.toDateString() === new Date().toDateString();
  return when.toLocaleString(undefined, today ? { timeStyle: style } : { dateStyle: "medium", timeStyle: "short" });
}

/** What is in it: its texts by length, and its tests. */
export function contentOf({ scenario, cases }: Work): string {
  const parts = TEXTS.filter((text) => scenario[text]).map((text) => {
    const lines = (scenario[text] ?? "").trimEnd().split("\n").length;
    return `${text} ${lines === 1 ? "1 line" : `${lines.toLocaleString("en")} lines`}`;
  });
  if (cases.length > 0) parts.push(cases.length === 1 ? "1 test" : `${String(cases.length)} tests`);
  return parts.length === 0 ? "empty" : parts.join(", ");
}

/** A button that is a whole row: what it opens, and a line about it. */
export function rowButton(name: string | Node, about: string, run: () => void): HTMLButtonElement {
  const open = button("", run, "kept-open");
  open.append(make("span", { class: "kept-name" }, name), make("span", { class: "kept-about", text: about }));
  return open;
}
