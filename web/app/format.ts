// The layout of a YAML or JSON text. Comments and the order of fields stay. It is loaded when it is
// first asked for.

import * as yaml from "prettier/plugins/yaml";
import { format } from "prettier/standalone";

/** How wide a line may be. */
const WIDTH = 110;

/** Returns the text with an even layout; throws where it cannot be parsed. */
export async function formatted(text: string): Promise<string> {
  const out = await format(text, { parser: "yaml", plugins: [yaml], bracketSpacing: false, printWidth: WIDTH });
  // JSON has no comma behind the last item. A text of JSON has no line break in a string.
  return isJSON(text) ? out.replace(/,(\n\s*[}\]])/g, "$1") : out;
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
