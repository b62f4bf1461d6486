// What crosses the boundaries: the scenario and the report as JSON, and the
// messages between the page, the worker and the WebAssembly module. The Go
// side of it is web/bridge.

/** Version of the calls. The worker refuses a module that speaks another. */
export const PROTOCOL = 1;

export type TextName = "policies" | "request" | "cluster" | "expression";

/** The texts, in the order of their tabs. */
export const TEXTS: readonly TextName[] = ["policies", "request", "cluster", "expression"];

/** What the user gives. Fields that the page does not edit are kept as they are. */
export interface Scenario {
  title?: string;
  description?: string;
  tags?: string[];
  kubernetes?: string;
  policies?: string;
  request?: string;
  cluster?: string;
  expression?: string;
  expressionContext?: string;
  now?: string;
  beforeValidation?: { set?: Record<string, unknown>; remove?: string[] };
  options?: Options;
}

/** What changes the simulation (scenario.Options). */
export interface Options {
  /** Undefined: unless the request is an AdmissionReview. */
  defaulting?: boolean;
  /** Undefined: by the RBAC objects of the cluster text. */
  authorizer?: string;
  plugins?: string[];
}

/** A half-open range of UTF-8 bytes in one text. */
export interface Span {
  start: number;
  end: number;
}

export interface Edit {
  text: TextName;
  span: Span;
  new: string;
}

/** Another place that takes part in a problem. */
export interface Related {
  text: TextName | "scenario";
  span: Span;
  line?: number;
  column?: number;
  summary: string;
}

export interface Diagnostic {
  code: string;
  severity: "error" | "warning" | "info";
  text: TextName | "scenario";
  span: Span;
  line?: number;
  column?: number;
  path?: string;
  summary: string;
  detail?: string;
  related?: Related[];
  fixes?: { title: string; edits: Edit[] }[];
}

/** One sub-expression with its value. */
export interface ReportNode {
  span: Span;
  kind?: string;
  name?: string;
  start: number;
  end: number;
  value?: unknown;
  type?: string;
  error?: string;
  cost: number;
  evaluated: boolean;
  failed?: boolean;
  note?: string;
  count?: number;
  values?: unknown[];
  /** For each of the values, the iterations of the loops around it, outermost first. */
  at?: number[][];
  cut?: boolean;
  children?: ReportNode[];
}

export interface Evaluation {
  name?: string;
  path?: string;
  text?: TextName;
  span: Span;
  expression: string;
  result?: unknown;
  type?: string;
  error?: string;
  cost: number;
  cached?: boolean;
  evaluated: boolean;
  children?: ReportNode[];
  variables?: Evaluation[];
}

export interface Validation extends Evaluation {
  decision?: string;
  messageExpression?: Evaluation;
}

export interface Step {
  phase: "mutating" | "validating";
  pass: number;
  kind: string;
  policy?: string;
  webhook?: string;
  status: string;
  verdict?: string;
  conditions?: Evaluation[];
  variables?: Evaluation[];
  mutations?: Evaluation[];
  validations?: Validation[];
  auditAnnotations?: Evaluation[];
}

/** The parts of a report that the page itself looks at; the rest is in the HTML. */
export interface Report {
  kubernetes: string;
  request?: { operation: string; subResource?: string; user: string; groups?: string[]; dryRun: boolean; form: string };
  outcome: { allowed: boolean; code: number; reason?: string; message?: string; mutated: boolean };
  input?: Record<string, unknown>;
  object?: Record<string, unknown>;
  diagnostics: Diagnostic[];
  expression?: Evaluation;
  steps: Step[];
}

/** The HTML of each part of the result, rendered by the templ components. */
export interface Rendered {
  outcome: string;
  steps: string;
  object: string;
  diff: string;
  answer: string;
  problems: string;
  announcement: string;
}

export interface EvaluateReply {
  report: Report;
  html: Rendered;
  /** The object as YAML. Edit is what to start from by hand. */
  yaml: { edit: string };
  /** The text that cannot be parsed, when there is one: the result says nothing. */
  broken?: TextName;
}

/** One policy that makes a change (propose.Proposal). */
export interface Proposal {
  patchType: string;
  verified: boolean;
  expression?: string;
  /** Policy and binding, YAML. */
  policy?: string;
}

/** The answer to propose. */
export interface ProposeReply {
  applyConfiguration: Proposal;
  jsonPatch: Proposal;
  /** A webhook's patch, operation by operation. */
  literal?: Proposal;
  /** Where the policy can take the place of the webhook, in the policies text. */
  place?: Span;
  html: string;
  /** Where the changed object cannot be read; nothing is proposed then. */
  problems?: Diagnostic[];
}

/** The answer to open. */
export interface OpenReply {
  scenario: Scenario;
  problems?: string[];
  /** The files were single manifests: the scenario has only their texts. */
  manifests?: boolean;
}

/** A call into the engine. */
export interface Call {
  method: string;
  params: unknown;
}

/** Page to worker. */
export type ToWorker =
  | { type: "load"; url: string; bytes: number }
  /** Serve the port that comes with the message as well. */
  | { type: "connect" }
  | { type: "call"; id: number; call: Call };

/** Worker to page. */
export type FromWorker =
  | { type: "progress"; loaded: number; total: number }
  | { type: "ready" }
  | { type: "failed"; message: string }
  | { type: "reply"; id: number; result?: unknown; error?: string };

/** The Kubernetes versions that this build simulates, newest first (scenario.Versions; a test compares). */
export const VERSIONS: readonly string[] = ["1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.31", "1.30"];
