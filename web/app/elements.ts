// Elements made by script. Texts are texts: nothing here is read as HTML.

interface Properties {
  class?: string;
  id?: string;
  role?: string;
  title?: string;
  text?: string;
  /** Attributes by their names, such as aria-label. */
  attributes?: Readonly<Record<string, string>>;
}

/** Makes an element. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (properties.class !== undefined) element.className = properties.class;
  if (properties.id !== undefined) element.id = properties.id;
  if (properties.role !== undefined) element.role = properties.role;
  if (properties.title !== undefined) element.title = properties.title;
  if (properties.text !== undefined) element.textContent = properties.text;
  for (const [name, value] of Object.entries(properties.attributes ?? {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Makes a button that does something. */
export function button(text: string, run: () => void, kind = ""): HTMLButtonElement {
  const element = make("button", { class: kind, text });
  element.type = "button";
  element.addEventListener("click", run);
  return element;
}

/** Makes a button that chooses files, or a folder. */
export function fileButton(text: string, folder: boolean, take: (files: File[]) => void): HTMLLabelElement {
  const input = make("input", { class: "visually-hidden" });
  input.type = "file";
  if (folder) input.webkitdirectory = true;
  else input.multiple = true;
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    input.value = ""; // the same files may be chosen again
    if (files.length > 0) take(files);
  });
  return make("label", { class: "button file-button" }, text, input);
}
