// What the component for Docusaurus needs of React and of Docusaurus to be written as HTML
// (test/embed-code.test.ts). scripts/try-kits builds a site with the real ones.

/** An element, or a text. */
export type Made = { type: unknown; props: Record<string, unknown>; children: unknown[] } | string;

function createElement(type: unknown, props: Record<string, unknown> | null, ...children: unknown[]): Made {
  if (typeof type !== "function") return { type, props: props ?? {}, children };
  return (type as (props: Record<string, unknown>) => Made)({ ...props, children });
}

/** React's fragment, and Docusaurus' Head: both are their children. */
const Fragment = "fragment";

export default { createElement, Fragment };
