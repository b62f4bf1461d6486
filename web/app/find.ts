// Searches a few hundred entries by words and their beginnings. It tolerates one wrong letter and
// knows synonyms. Entries with every word come first. If there are none, entries with some words do.

import MiniSearch from "minisearch";

/** Words that people use for one thing. */
const SAME = [
  ["block", "deny", "forbid", "prevent", "disallow", "reject", "refuse", "ban", "no", "without"],
  ["require", "must", "need", "enforce", "mandatory"],
  ["change", "mutate", "mutating", "patch", "modify", "inject", "add", "default"],
  ["sidecar", "container", "containers", "pod", "pods"],
  ["image", "images", "registry", "registries", "tag"],
  ["limit", "limits", "quota", "resources", "memory", "cpu"],
  ["user", "users", "who", "account", "group", "username"],
  ["permission", "permissions", "rbac", "authorizer", "rights", "may"],
  ["param", "params", "parameter", "parameters", "config"],
  ["delete", "deletion", "remove"],
  ["root", "nonroot", "runasnonroot", "privileged"],
  ["crd", "crds", "custom", "customresourcedefinition"],
] as const;

const synonyms = new Map<string, readonly string[]>(SAME.flatMap((list) => list.map((word) => [word, list] as const)));

/** A part of an entry that is searched, and how much more a word in it is worth. */
export interface Part<T> {
  text(entry: T): string;
  worth: number;
}

/** Returns a function that returns the entries for a query, the best first; none for a blank query. */
export function finder<T>(entries: readonly T[], parts: Readonly<Record<string, Part<T>>>): (query: string) => T[] {
  const index = new MiniSearch<{ id: number; entry: T }>({
    fields: Object.keys(parts),
    extractField: (document, name) => (name === "id" ? document.id : parts[name]?.text(document.entry)) as string,
  });
  index.addAll(entries.map((entry, id) => ({ id, entry })));
  const boost = Object.fromEntries(Object.entries(parts).map(([name, { worth }]) => [name, worth]));
  const options = { boost, prefix: true, fuzzy: (term: string) => (term.length > 3 ? 0.2 : false) } as const;
  const tokens = MiniSearch.getDefault("tokenize") as (text: string) => string[];
  return (query) => {
    const words = tokens(query.toLowerCase()).filter((word) => word !== "");
    if (words.length === 0) return [];
    const queries = words.map((word) => ({
      combineWith: "OR" as const,
      queries: [
        { queries: [word], boost },
        { queries: [...(synonyms.get(word) ?? [])], boost: half(boost), prefix: false, fuzzy: false },
      ],
    }));
    const found = (combineWith: "AND" | "OR"): T[] =>
      index.search({ combineWith, queries }, options).map(({ id }) => entries[id as number] as T);
    const all = found("AND");
    return all.length > 0 ? all : found("OR");
  };
}

function half(boost: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(boost).map(([name, worth]) => [name, worth / 3]));
}
