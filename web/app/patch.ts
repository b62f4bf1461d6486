// Gives an element the content of new HTML by changing only what differs: of a result most is as
// it was before the key, and the browser lays out and paints what changes.

import { trustedHTML } from "./trusted.ts";

/** What elements show, of those whose content was not changed since by a patch around them. */
const shown = new WeakMap<Node, string>();

/** Makes the content of an element that of the HTML; nothing happens when it was given the same before. */
export function patch(element: HTMLElement, html: string): void {
  if (shown.get(element) === html) return;
  const wanted = document.createElement("template");
  wanted.innerHTML = trustedHTML(html);
  patchChildren(element, wanted.content);
  shown.set(element, html);
}

function patchChildren(element: Node, wanted: Node): void {
  shown.delete(element);
  const olds = [...element.childNodes];
  const news = [...wanted.childNodes];
  // What is equal at the end stays, too, where something came or went before it.
  while (olds.length > 0 && olds.length !== news.length && news.at(-1)?.isEqualNode(olds.at(-1) ?? null) === true) {
    olds.pop();
    news.pop();
  }
  const behind = olds.at(-1)?.nextSibling ?? (olds.length === 0 ? element.firstChild : null);
  news.forEach((node, i) => {
    const old = olds[i];
    if (old === undefined) element.insertBefore(node, behind);
    else patchNode(old, node);
  });
  for (const old of olds.slice(news.length)) old.remove();
}

/** Makes a node equal to another one, or puts the other one in its place. */
function patchNode(old: ChildNode, wanted: ChildNode): void {
  if (old.isEqualNode(wanted)) return;
  if (old instanceof Element && wanted instanceof Element && isSame(old, wanted)) {
    patchAttributes(old, wanted);
    patchChildren(old, wanted);
  } else if (old instanceof Text && wanted instanceof Text) old.data = wanted.data;
  else old.replaceWith(wanted);
}

/** Whether two elements are about the same thing. */
function isSame(old: Element, wanted: Element): boolean {
  const keyOf = (element: Element): string | null => element.getAttribute("data-key");
  return old.tagName === wanted.tagName && old.id === wanted.id && keyOf(old) === keyOf(wanted);
}

function patchAttributes(old: Element, wanted: Element): void {
  // Whether a fold is open is the reader's choice once they have made one.
  const theirs = old.hasAttribute("data-touched") ? ["open", "data-touched"] : [];
  for (const name of old.getAttributeNames())
    if (!wanted.hasAttribute(name) && !theirs.includes(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (old.getAttribute(name) !== value && !theirs.includes(name)) old.setAttribute(name, value);
}
