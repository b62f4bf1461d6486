// Everything that the page puts into itself as HTML, and every script that it starts,
// goes through here: with Trusted Types the browser takes neither from anywhere else
// (the header Content-Security-Policy, netlify.toml).

interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

/** The components escape all text, so an element of these comes from nowhere good. */
const FOREIGN = /<(?:script|iframe|frame|object|embed|base|meta|link|style|form)\b/i;

const rules: Policy = {
  createHTML(html) {
    if (FOREIGN.test(html)) throw new TypeError("the result has an element that is not allowed");
    return html;
  },
  createScriptURL(url) {
    if (new URL(url, location.href).origin !== location.origin)
      throw new TypeError("a script from another site is blocked");
    return url;
  },
};

let policy: Policy | undefined;

function thePolicy(): Policy {
  policy ??= (globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy("preadmit", rules) ?? rules;
  return policy;
}

/** HTML that the engine's components made. */
export function trustedHTML(html: string): string {
  return thePolicy().createHTML(html);
}

/** A page of this site, to be read and not shown: a document made of it runs nothing. */
export function trustedPage(html: string): string {
  pages ??=
    (globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy("preadmit-pages", {
      ...rules,
      createHTML: (page) => page,
    }) ?? rules;
  return pages === rules ? html : pages.createHTML(html);
}

let pages: Policy | undefined;

/** The address of a script of this site. */
export function trustedScript(url: string): string {
  return thePolicy().createScriptURL(url);
}
