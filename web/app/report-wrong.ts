// The report of a wrong answer: it carries the scenario and what the page says about it.
// Loaded when it is first needed (report-open.ts).

import { encodeLink, LinkError } from "./link.ts";
import type { Scenario } from "./protocol.ts";

/** Longer addresses are refused by the tracker, in characters. */
const MAX_ADDRESS = 7000;

/** The address of a new report about a scenario, with the answer that is on the page. */
export function reportAddress(template: string, scenario: Scenario, answer: string, page: string): string {
  const address = new URL(template);
  let link: string;
  try {
    link = page + encodeLink(scenario);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    link = "(too long for a link: please attach the .txtar file from Share)";
  }
  const body = (where: string): string =>
    `**What Preadmit says** (Kubernetes ${scenario.kubernetes ?? ""})\n\n${answer}\n\n` +
    `**What a real API server says** (version, and how you sent the request)\n\n\n\n**Link to the scenario**\n\n${where}\n`;
  address.searchParams.set("title", `Wrong answer: ${answer.split("\n", 1)[0] ?? ""}`.slice(0, 120));
  address.searchParams.set("body", body(link));
  if (address.href.length > MAX_ADDRESS) {
    address.searchParams.set("body", body("(too long for this form: please paste the link from Share here)"));
  }
  return address.href;
}

/** The address of a new report about a scenario, with the answer that the page shows now. */
export function currentReport(template: string, scenario: Scenario): string {
  const answer = ["#outcome .verdict", "#outcome .message"]
    .map((part) => document.querySelector<HTMLElement>(part)?.innerText.trim().replace(/\s+/g, " ") ?? "")
    .filter((text) => text !== "");
  return reportAddress(template, scenario, answer.join("\n"), location.origin + location.pathname);
}
