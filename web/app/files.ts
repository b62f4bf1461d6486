// A scenario as files: folder in a zip, txtar, Markdown. The engine knows the
// format of the files; this module only packs them.

import { strToU8, zipSync } from "fflate";

import { download } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import type { Files, Scenario } from "./protocol.ts";
import { RULES } from "./texts.ts";

export function fileName(scenario: Scenario): string {
  const name = (scenario.title ?? "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name === "" ? "scenario" : name.slice(0, 60);
}

function filesOf(engine: EngineClient, scenario: Scenario): Promise<Files> {
  return engine.call("files", scenario);
}

export async function downloadTxtar(engine: EngineClient, scenario: Scenario): Promise<void> {
  const { txtar } = await filesOf(engine, scenario);
  download(`${fileName(scenario)}.txtar`, txtar, "text/plain");
}

export async function downloadZip(engine: EngineClient, scenario: Scenario): Promise<void> {
  const { files } = await filesOf(engine, scenario);
  const folder = fileName(scenario);
  const entries = Object.entries(files).map(([name, content]) => [`${folder}/${name}`, strToU8(content)]);
  const zip = zipSync(Object.fromEntries(entries) as Record<string, Uint8Array>);
  download(`${folder}.zip`, new Uint8Array(zip), "application/zip");
}

export function downloadMarkdown(scenario: Scenario, link: string): void {
  download(`${fileName(scenario)}.md`, markdown(scenario, link), "text/markdown");
}

/** A scenario as Markdown, for an issue or a chat that cuts long links. */
export function markdown(scenario: Scenario, link: string): string {
  const parts = [`## ${scenario.title || "Scenario"}`];
  if (scenario.description) parts.push(scenario.description);
  parts.push(`Kubernetes ${scenario.kubernetes ?? ""}`.trim());
  const blocks: [string, string, string | undefined][] = [
    ["policies.yaml", "yaml", scenario.policies],
    ["request.yaml", "yaml", scenario.request],
    ["cluster.yaml", "yaml", scenario.cluster],
    scenario.expressionContext === RULES
      ? ["rules.yaml", "yaml", scenario.expression]
      : ["expression.cel", "cel", scenario.expression],
  ];
  for (const [name, language, text] of blocks) {
    if (!text) continue;
    const fence = fenceFor(text);
    parts.push(`**${name}**`, `${fence}${language}\n${text.replace(/\n?$/, "\n")}${fence}`);
  }
  if (link.length <= 4000) parts.push(`[Open in Preadmit](${link})`);
  return `${parts.join("\n\n")}\n`;
}

/** A fence that is longer than any run of backticks in the text. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  return "`".repeat(longest + 1);
}
