// Descriptions of scenarios: paragraphs with `code`, *emphasis* and **strong**.
// They come from links too, so they become elements, never markup. The pages
// that are built read the same (web/site/markup.go).

const MARKED = /`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*/g;

function paragraph(text: string): HTMLElement {
  const element = document.createElement("p");
  let at = 0;
  for (const match of text.matchAll(MARKED)) {
    element.append(text.slice(at, match.index), piece(match[0]));
    at = match.index + match[0].length;
  }
  element.append(text.slice(at));
  return element;
}

function piece(marked: string): HTMLElement {
  const [tag, marks] = marked.startsWith("`") ? ["code", 1] : marked.startsWith("**") ? ["strong", 2] : ["em", 1];
  const element = document.createElement(String(tag));
  element.textContent = marked.slice(Number(marks), -Number(marks));
  return element;
}

/** The first paragraph, and the rest folded away. */
export function describe(description: string): HTMLElement[] {
  const [first, ...rest] = description
    .trim()
    .split(/\n\s*\n/)
    .filter((p) => p.trim() !== "");
  if (first === undefined) return [];
  if (rest.length === 0) return [paragraph(first)];
  const more = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "More";
  more.append(summary, ...rest.map(paragraph));
  return [paragraph(first), more];
}
