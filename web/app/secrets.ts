// What in a scenario looks like a secret. A hint only: it is the reader who
// knows. This is the first look, which needs no engine; the values are found, and
// replaced, by engine/edit/secrets.

import type { Scenario, Secrets } from "./protocol.ts";

/** A sentence about what the engine has found; empty when that is nothing. */
export function found({ found: list }: Secrets): string {
  const [first, ...more] = list;
  if (first === undefined) return "";
  const others = more.length === 0 ? "" : more.length === 1 ? ", and 1 more" : `, and ${String(more.length)} more`;
  return `Look before you send: ${first.what} is in the ${first.text}, line ${String(first.line)}${others}.`;
}

/** Patterns of texts that are better not sent to anybody. */
const SECRETS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, "the text holds a private key."],
  [/\bAKIA[0-9A-Z]{16}\b/, "the text holds what looks like an AWS access key."],
  [/\bgh[pousr]_[A-Za-z0-9]{36,}\b/, "the text holds what looks like a GitHub token."],
  [/\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/, "the text holds what looks like a JSON web token."],
  // The same in base64, as a Secret has it: eyJ is ZXlK.
  [/\bZXlK[A-Za-z0-9+/]{40,}/, "the text holds what looks like a JSON web token."],
  // In block and flow style, in JSON, in Lists and in the request of an AdmissionReview.
  [/(?:^|[\s,{])["']?kind["']?\s*:\s*["']?Secret["']?\s*(?:$|[,}\s])/m, "the text holds a Secret."],
  [/\bkind["']?\s*:\s*["']?SecretList\b[^]*\b(?:data|stringData)["']?\s*:/, "the text holds Secrets."],
  [/\bkind["']?\s*:\s*["']?Token(?:Review|Request)\b[^]*\btoken["']?\s*:/, "the text holds a token."],
  // In nothing but a kubeconfig; what else is in one counts there only, below.
  [/["']?client-key-data["']?\s*:\s*["']?[^\s"',{}[\]]/, "the text holds kubeconfig credentials."],
  [
    /\bauthorization\\?["']?\s*:\s*\\?["']?(?:bearer|basic)\s+[\w.~+/=-]{6,}/i,
    "the text holds an Authorization header.",
  ],
  [/kubernetes\.io\/service-account-token\b/, "the text holds a ServiceAccount token."],
  // What a request for a Secret has, in an AdmissionReview or an audit log, or what a policy applies to one.
  [
    /\bresource["']?\s*:\s*["']?secrets\b[^]*\b(?:data|stringData)["']?\s*:|\b(?:data|stringData)["']?\s*:[^]*\bresource["']?\s*:\s*["']?secrets\b/,
    "the text holds Secret data.",
  ],
  [
    /\bsecrets\b[^]*\bObject\s*\{[^]*\b(?:data|stringData)["']?\s*:/,
    "the text holds an expression that sets Secret data.",
  ],
  // A patch of the data of a Secret, which is named by its resource.
  [
    /\bsecrets\b[^]*["']?path["']?\s*:\s*["']?\/(?:data|stringData)\b|["']?path["']?\s*:\s*["']?\/(?:data|stringData)\b[^]*\bsecrets\b/,
    "the text holds a patch that sets Secret data.",
  ],
  // The same in base64: [{ is W3s.
  [
    /\bsecrets\b[^]*\bpatch["']?\s*:\s*["']?W3s|\bpatch["']?\s*:\s*["']?W3s[^]*\bsecrets\b/,
    "the text holds a Secret patch.",
  ],
  [
    /(?:password|passwd|client[-_]?secret|api[-_]?key)["']?\s*[:=]\s*["']?[^\s"'{}]{6,}/i,
    "the text holds what looks like a password or key.",
  ],
];

/** A kubeconfig, wherever its kind is written, and a field of a user with a value. */
const CONFIG = /(?:^|[\s,{])["']?kind["']?\s*:\s*["']?Config["']?\s*(?:$|[,}\s])/m;
const CREDENTIAL =
  /(?:^|[\s,{])["']?(?:token|password|(?:id|refresh|access)-token|client-secret)["']?\s*:\s*["']?[^\s"',{}[\]#]/m;

/** What in a scenario looks like a secret; undefined when nothing does. */
export function secretIn(scenario: Scenario): string | undefined {
  const { policies, request, cluster, expression, options } = scenario;
  const text = [policies, request, cluster, expression, options?.request?.oldObject].join("\n");
  if (CONFIG.test(text) && CREDENTIAL.test(text)) return "the text holds kubeconfig credentials.";
  return SECRETS.find(([pattern]) => pattern.test(text))?.[1];
}
