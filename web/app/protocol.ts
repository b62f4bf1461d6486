// Written from the Go types of web/bridge: go run ./scripts/protocol
// Do not edit it.

/** Version of the calls. The worker refuses a module that speaks another. */
export const PROTOCOL = 3;

/** The Kubernetes versions that this build simulates, newest first. */
export const VERSIONS: readonly string[] = ["1.37", "1.36", "1.35", "1.34", "1.33", "1.32", "1.31", "1.30"];

/** What each call takes and gives. */
export interface Calls {
  "evaluate": { params: EvaluateParams; result: Evaluated };
  "render": { params: RenderParams; result: RenderedParts };
  "unfold": { params: UnfoldParams; result: Unfolded };
  "notes": { params: NotesParams; result: Noted };
  "repairs": { params: RepairsParams; result: Repaired };
  "object": { params: ObjectParams; result: ObjectText };
  "compare": { params: CompareParams; result: Compared };
  "picture": { params: PictureParams; result: Picture };
  "versions": { params: Scenario; result: VersionStrip };
  "whatIf": { params: WhatIfParams; result: WhatIfReply };
  "limits": { params: Scenario; result: Searched };
  "examples": { params: Scenario; result: Exampled };
  "foresee": { params: ForeseeParams; result: Foreseen };
  "complete": { params: Place; result: Completions };
  "hover": { params: Place; result: Help | null };
  "functions": { params: string; result: Function[] };
  "fieldDocs": { params: string; result: boolean };
  "request/form": { params: FormParams; result: Formed };
  "request/live": { params: LiveParams; result: string };
  "propose": { params: ProposeParams; result: Proposed };
  "files": { params: Scenario; result: Files };
  "open": { params: OpenParams; result: Opened };
  "paste": { params: Paste; result: Pasted };
  "fixAll": { params: FixAllParams; result: FixedAll };
  "format": { params: FormatParams; result: string };
  "secrets": { params: SecretsParams; result: Secrets };
  "answer": { params: AnswerParams; result: Answered };
  "table/read": { params: TableText; result: TableRead };
  "table/run": { params: TableRun; result: TableRows };
  "table/case": { params: TableRecord; result: TableCase };
  "cases/pin": { params: Scenario; result: Case };
  "cases/run": { params: CasesRun; result: CasesResults };
  "cases/coverage": { params: CoverageRun; result: CoverageReply };
  "cases/files": { params: CasesRun; result: Record<string, string> };
  "cases/open": { params: Record<string, string>; result: CasesOpened };
}

/** EvaluateParams are those of evaluate. */
export interface EvaluateParams {
  scenario: Scenario;
  /** Parts are the parts of the result to render, those that the page shows. It asks for others with render. Without any, the report is not kept. */
  parts?: Part[];
  /** First asks for the answer before all else: the report is kept, and its parts, with what the checks of safety find, are made when the page asks for them with render, and notes with notes. */
  first?: boolean;
  /** Open are the keys of the folds that the reader has opened. The content of others is not rendered. */
  open?: string[];
  /** Shown is the report that the page shows. It stays available for render, however many are made while the text is broken. */
  shown?: number;
  /** Metered says that the reader pays for what is loaded: then it is offered instead. */
  metered?: boolean;
  /** In are the parts of the texts that the reader sees, for notes in the reply. */
  in?: Sight[];
}

/** Evaluated is the reply to evaluate. */
export interface Evaluated {
  /** ID names the report for render; 0 when it is not kept. */
  id: number;
  report: Report;
  html: Rendered;
  /** Editable reports whether there is an object that the reader can edit by hand. */
  editable: boolean;
  /** Notes are those of the parts of the texts that were asked for, as notes gives them; none where the answer comes first, which does not wait for them: the page asks for them with notes. */
  notes?: Step[];
  /** Untried reports whether there are repairs that have not been tried: the answer does not wait for that. The page asks for it when the reader rests (repairs). */
  untried?: boolean;
  /** Loading says that the API server's own code, which is still to be loaded, would be asked. */
  loading?: boolean;
  /** Broken names the text that cannot be parsed, if there is one. The page then keeps the last result. */
  broken?: AnyText;
}

/** RenderParams are those of render. */
export interface RenderParams {
  /** ID is that of an evaluated report. */
  id: number;
  parts: Part[];
  /** Open are the keys of the folds that the reader has opened. */
  open?: string[];
}

/** RenderedParts is the reply to render. */
export interface RenderedParts {
  /** Gone says that the report is no longer kept; the page evaluates again. */
  gone?: boolean;
  parts: Partial<Record<Part, string>>;
  /** Late are the problems of the report, if there are others than those that came with its answer. */
  late?: Repaired;
}

/** UnfoldParams are those of unfold. */
export interface UnfoldParams {
  /** ID is that of an evaluated report. */
  id: number;
  /** Key is that of the fold, and Around are those of the folds around it. */
  key: string;
  around?: string[];
}

/** Unfolded is the reply to unfold: the content of a fold. */
export interface Unfolded {
  /** Gone says that the report is no longer kept; the page evaluates again. */
  gone?: boolean;
  html: string;
}

/** NotesParams are those of notes. */
export interface NotesParams {
  /** ID is that of an evaluated report. */
  id: number;
  /** In are the parts of the texts that the reader sees. */
  in: Sight[];
}

/** Noted is the reply to notes: the expressions in these parts of the texts with what they gave, by the steps in which they ran. The free expression is in the report. */
export interface Noted {
  /** Gone says that the report is no longer kept; the page evaluates again. */
  gone?: boolean;
  steps: Step[];
}

/** RepairsParams are those of repairs. */
export interface RepairsParams {
  /** ID is that of an evaluated report, Scenario what it is of. */
  id: number;
  scenario: Scenario;
}

/** Repaired is the reply to repairs, and what a report learns behind its answer. It is empty where all problems stay as they are. */
export interface Repaired {
  /** Diagnostics take the place of the report's: some have fewer repairs, or are new. */
  diagnostics?: Diagnostic[];
  /** Problems is their list as HTML. */
  problems?: string;
}

/** ObjectParams are those of object. */
export interface ObjectParams {
  /** ID is that of an evaluated report. */
  id: number;
  /** Print asks for a fingerprint in place of the text. */
  print?: boolean;
}

/** ObjectText is the reply to object. */
export interface ObjectText {
  /** Gone says that the report is no longer kept; the page evaluates again. */
  gone?: boolean;
  /** Text is the object at the end as YAML, or its fingerprint; empty when there is none. */
  text: string;
}

/** CompareParams are those of compare. */
export interface CompareParams {
  /** ID is that of an evaluated report. */
  id: number;
  /** From and To are frames of the object's film strip, from 0. */
  from: number;
  to: number;
}

/** Compared is the reply to compare. */
export interface Compared {
  /** Gone says that the report is no longer kept; the page evaluates again. */
  gone?: boolean;
  html: string;
}

/** PictureParams are those of picture. */
export interface PictureParams {
  /** ID is that of an evaluated report. */
  id: number;
  title: string;
  /** Link leads to the scenario. */
  link: string;
}

/** Picture is the reply to picture. */
export interface Picture {
  /** Gone says that the report is no longer kept; the page evaluates again. */
  gone?: boolean;
  /** SVG is a whole file, Alt what it shows in words. */
  svg: string;
  alt: string;
}

/** Scenario is what a user gives: up to four texts and some settings. The zero value is an empty scenario with default settings. Its JSON form is what the page and the WebAssembly module exchange. */
export interface Scenario {
  title?: string;
  description?: string;
  tags?: string[];
  /** Kubernetes is the minor version to simulate, such as "1.37". Empty means DefaultVersion. */
  kubernetes?: string;
  /** Policies holds policies, bindings and webhook configurations. */
  policies?: string;
  /** Request is an AdmissionReview, an AdmissionRequest or a plain object. */
  request?: string;
  /** Cluster holds the objects of the cluster that take part. */
  cluster?: string;
  /** Expression is a free CEL expression. In the context rule it is YAML instead: a schema with its rules, the value that they are about, and the one before it. */
  expression?: string;
  /** ExpressionContext says which place the free expression is evaluated for: webhook, condition, validation, message, mutation, rule, device, claims, user or authorization. Empty means validation. */
  expressionContext?: string;
  /** Now is what creationTimestamp gets, in RFC 3339. Empty means the present. */
  now?: string;
  /** BeforeValidation is what storage itself changes between the mutating and the validating phase. */
  beforeValidation?: BeforeValidation;
  options?: Options;
}

/** VersionStrip is the reply to versions. */
export interface VersionStrip extends Versions {
  /** HTML is the strip of all versions. */
  html: string;
}

/** WhatIfParams are those of whatIf. */
export interface WhatIfParams {
  /** Left is what the scenario is compared with; Name says what that is. */
  left: Scenario;
  name: string;
  /** Without is a policy, or a configuration of webhooks, that the left side leaves out, with its bindings; empty for none. */
  without?: string;
  /** Right is the scenario as it is now, or what RightName says. */
  right: Scenario;
  rightName?: string;
}

/** WhatIfReply is the reply to whatIf. */
export interface WhatIfReply {
  html: string;
  /** Policies are the names that Without can have, of the right side. */
  policies: string[];
}

/** Searched is the reply to limits. */
export interface Searched {
  /** Done is false when the same call, made again, would go on. */
  done: boolean;
  /** ID names the report with what was found, for render; 0 when nothing was. */
  id?: number;
}

/** Exampled is the reply to examples: requests that policies deny and admit, where there is none. */
export interface Exampled {
  /** Done is false when the same call, made again, would go on. */
  done: boolean;
  /** HTML shows what was found, and Scenarios has it: the scenario with each of the requests. Where a policy has no binding it gets one. */
  html?: string;
  scenarios?: Scenario[];
}

/** ForeseeParams are those of foresee. */
export interface ForeseeParams {
  /** ID is that of an evaluated report, Scenario what it is of. */
  id: number;
  scenario: Scenario;
}

/** Foreseen is the reply to foresee: what requests will meet in the policies. */
export interface Foreseen {
  /** Done is false when the same call, made again, would go on. */
  done: boolean;
  /** Late are the problems of the report, if there are others now. */
  late?: Repaired;
  /** Stops says that the report has a graph of what policies stop now, which its steps show. */
  stops?: boolean;
}

/** Place is an offset, in bytes, in one text of a scenario. */
export interface Place {
  scenario: Scenario;
  text: AnyText;
  offset: number;
}

/** Result is what can replace the text between From and To. */
export interface Completions {
  from: number;
  to: number;
  items: CompletionItem[];
}

/** Help is what there is to say about the text between From and To. */
export interface Help {
  from: number;
  to: number;
  title: string;
  doc?: string;
}

/** Function is an entry of the reference of CEL: a function or macro that a new policy of one version may use. */
export interface Function {
  /** as it is written: "lists.range" */
  name: string;
  /** the heading that it belongs under */
  area: string;
  /** Signature has the parameters, those that may be left out in brackets, and the type of the result: "(start[, end]) → string". A macro has no result type. */
  signature: string;
  /** what it does, in a sentence or two */
  doc: string;
  /** what it costs, in words */
  cost: string;
  /** Since is the first version that accepts it in a new policy; empty where every version does that can be simulated. */
  since?: string;
  /** Example is an expression that uses it, Context the place where that is possible: empty for any, or one of scenario.ExpressionContexts. */
  example: string;
  context?: string;
  /** Apply is a call to insert, with ${name} for places to fill in. It lacks the value and the dot where Method is true. */
  apply: string;
  method?: boolean;
}

/** FormParams are those of request/form. */
export interface FormParams {
  scenario: Scenario;
  set?: Changes;
}

/** Formed is the reply to request/form: the request after a change of the fields above its text, and the old object as a text of its own. */
export interface Formed {
  text: string;
  /** Request is the setting options.request that goes with the text. A plain object stays as it is: operation, user, subresource and dry run are settings then. */
  request?: RequestSettings;
  oldObject: string;
  /** Defaulting is the setting that the new text needs to mean what the old one did: an object gets the server's defaults, a captured request does not. Absent where nothing has to be set. */
  defaulting?: boolean;
  /** Problems say where the old object cannot be read; the text is unchanged then. */
  problems?: Diagnostic[];
}

/** LiveParams are those of request/live: the text of an object of a running cluster, and the request to make of it. */
export interface LiveParams {
  text: string;
  form: Form;
}

/** ProposeParams is a change to the object of the scenario's request. One of the others is given. */
export interface ProposeParams {
  scenario: Scenario;
  /** After is the changed object as text. */
  after?: string;
  /** Patch is a webhook's patch, or its answer, as text. */
  patch?: string;
  /** Webhook is one of the scenario. */
  webhook?: WebhookName;
  /** Skip is a webhook of the scenario that is to be called less often. */
  skip?: WebhookName;
}

/** Proposed is the reply to propose: what is proposed, and how it is shown. */
export interface Proposed {
  html: string;
  /** Policies are the proposed policies with their bindings, YAML, by the names that the buttons in the HTML have for them. */
  policies: Record<string, string>;
  /** Place is where the policy can take the place of the webhook, in the policies text. */
  place?: Span;
  /** Answer is where the cluster text has what the webhook answers, which nothing asks for once the policy has taken its place. */
  answer?: Span;
  /** Problems say where the changed object cannot be read; nothing is proposed then. */
  problems?: Diagnostic[];
}

/** Files is the reply to files: a scenario as it lies on disk. */
export interface Files {
  files: Record<string, string>;
  txtar: string;
}

/** OpenParams are files that were dropped on the page: a txtar archive, the files of a folder by their names, or manifests. */
export interface OpenParams {
  files: Record<string, string>;
  /** Request chooses one of the objects that could be the request, from 1; 0 is the first. */
  request?: number;
}

/** Opened is the reply to open. */
export interface Opened {
  scenario: Scenario;
  problems?: string[];
  /** Manifests says that the files were single manifests and not those of a scenario: Scenario has only the texts that they are. */
  manifests?: boolean;
  /** Summary says in one line how manifests were sorted. */
  summary?: string;
  /** Commands print what is needed in place of a server's answer. */
  commands?: string[];
  /** Candidates are the objects of which one is the request, by their names; Chosen is its number, from 1. */
  candidates?: string[];
  chosen?: number;
}

/** Paste is what was pasted into a text of the page, and where. */
export interface Paste {
  /** Given has the scenario before the paste, the text that was pasted into, and what the reader chose. */
  given: Given;
  text: string;
  /** Before and After are what is around it in the text. */
  before: string;
  after: string;
  /** Example says that the scenario is an example that nobody has changed. What replaces its policies or its request begins a scenario of its own. */
  example?: boolean;
}

/** Pasted is the reply to paste. */
export interface Pasted {
  /** Own says that the paste is where it belongs, as it is: there is nothing to do. */
  own?: boolean;
  /** Emptied says that the paste took the place of an example, all of it. */
  emptied?: boolean;
  /** Refused says that nothing of it can be used; the scenario is as before. */
  refused?: boolean;
  /** Scenario has everything in its place. */
  scenario: Scenario;
  /** Summary says in one line what was done. */
  summary: string;
  /** Candidates are the objects of which one is the request, by their names; Chosen is its number, from 1. */
  candidates?: string[];
  chosen?: number;
  /** Webhooks are those of which one gave the response that was pasted. */
  webhooks?: string[];
  /** Commands print what is needed in place of a server's answer. */
  commands?: string[];
  /** Show is the text that has most of it. */
  show?: AnyText;
}

/** FixAllParams are those of fixAll. */
export interface FixAllParams {
  scenario: Scenario;
}

/** FixedAll is the reply to fixAll. */
export interface FixedAll {
  /** Scenario has the repaired texts. */
  scenario: Scenario;
  /** Applied lists what was done; empty when nothing has one likely answer. */
  applied: Applied[];
  /** Errors is the number of errors that are left. */
  errors: number;
}

/** FormatParams are those of format. */
export interface FormatParams {
  /** Text is YAML or JSON. */
  text: string;
}

/** SecretsParams are those of secrets. */
export interface SecretsParams {
  scenario: Scenario;
}

/** Secrets is the reply to secrets. */
export interface Secrets {
  /** Found are the values that look like secrets; empty when nothing does. */
  found: Found[];
  /** Unread are the texts that could not be read wholly, so that more may be in them. */
  unread: AnyText[];
  /** Scenario has placeholders in the places of the values. */
  scenario: Scenario;
}

/** AnswerParams are those of answer: what a webhook of the scenario answered, as an AdmissionReview, an AdmissionResponse, a JSON Patch, an HTTP answer (as curl -i prints it) or the spec of a WebhookResponse. */
export interface AnswerParams {
  scenario: Scenario;
  /** the name of the webhook */
  webhook: string;
  text: string;
}

/** Answered is the reply to answer: the scenario, with the answer in its cluster. */
export interface Answered {
  scenario: Scenario;
}

/** TableText is the next part of a capture, or of a file with objects. */
export interface TableText {
  /** Table names the table that it belongs to; 0 begins another one, and the last one is forgotten. */
  table: number;
  file?: string;
  text: string;
  /** Last says that the file ends with this part. */
  last?: boolean;
}

/** TableRead is the reply to table/read. */
export interface TableRead {
  table: number;
  /** Records is the number of records so far. */
  records: number;
  /** Full says why nothing more is read. */
  full?: string;
}

/** TableRun asks for the next rows of a table. */
export interface TableRun {
  table: number;
  /** From is the number of rows that the page has. */
  from: number;
  /** Scenario has the policies and the cluster that the requests meet. It is given with the first call, and again when it changes. */
  scenario?: Scenario;
}

/** TableRows is the reply to table/run: as many rows as a short time allows. */
export interface TableRows {
  rows: Row[];
  /** Total is the number of records of the table. */
  total: number;
  /** Problems are the errors in the policies and in the cluster, in a line each. */
  problems?: string[];
  /** Gone says that the table is no longer there: it has to be read again. */
  gone?: boolean;
}

/** TableRecord names one record of a table, from 0. */
export interface TableRecord {
  table: number;
  row: number;
}

/** TableCase is the request of one row, as a text of its own. */
export interface TableCase {
  request: string;
  /** Defaulting says that the request is as the client sent it, before the server's defaults. */
  defaulting?: boolean;
  gone?: boolean;
}

/** Case is a request and what is expected of it. It meets the policies and the cluster of the page, unless it has its own. */
export interface Case {
  /** Name is that of the folder of the test. */
  name: string;
  request: string;
  /** Expected is the text of expected.yaml. */
  expected: string;
  /** Defaulting is the setting of this request, where it is not the page's. */
  defaulting?: boolean;
  /** Policies and Cluster take the place of the page's. */
  policies?: string;
  cluster?: string;
  /** Settings take the place of the page's, with the free expression. */
  settings?: Scenario;
}

/** CasesRun asks for the results of cases. */
export interface CasesRun {
  scenario: Scenario;
  cases: Case[];
}

/** CasesResults is the reply to cases/run: the first cases, as many as a short time allows. */
export interface CasesResults {
  results: CaseResult[];
}

/** CoverageRun asks which parts of the page's policies the cases have shown. */
export interface CoverageRun {
  scenario: Scenario;
  /** Cases are those that are left, Former what the reply to those before them had as its Former. */
  cases: Case[];
  former?: string;
}

/** CoverageReply is the reply to cases/coverage: with the first cases, as many as a short time allows. */
export interface CoverageReply {
  /** Done is how many of the cases were looked at, and Elsewhere how many of these have policies of their own, which are not those of the page. */
  done: number;
  elsewhere: number;
  /** Former is for the next call. */
  former: string;
  /** Shown of Targets is what all cases until now have shown. */
  shown: number;
  targets: number;
  gaps: CoverageGap[];
}

/** CasesOpened is the reply to cases/open. */
export interface CasesOpened {
  /** Scenario is that of the first case; the others differ from it in what they have of their own. */
  scenario: Scenario;
  cases: Case[];
  /** Problems say what was left out, in a sentence each. */
  problems?: string[];
}

/** Part is a part of the result. All but the outcome have a tab of their own. */
export type Part = "outcome" | "steps" | "object" | "diff" | "answer";

/** Sight is a part of a text, in bytes. */
export interface Sight {
  text: AnyText;
  start: number;
  end: number;
}

/** Report is what the page itself reads of a report at once. What it only shows is in the HTML, and it asks for the notes of the editors when that is on the screen (notes). */
export interface Report {
  /** Request is absent when the request text could not be used. */
  request?: Request;
  outcome: Outcome;
  diagnostics: Diagnostic[];
  /** Expression is the free expression of the scenario. */
  expression?: Evaluation;
  /** Rules has the evaluations of rules that are tried without a definition. */
  rules?: Step;
  /** FromCluster says that the request is an object as a running cluster has it. */
  fromCluster?: boolean;
  /** Assumed is what the verdict rests on although no text says it. */
  assumed?: Assumption[];
}

/** Rendered is the HTML of a result, ready to be put in place. */
export interface Rendered {
  outcome: string;
  problems: string;
  documents: string;
  /** Announcement is plain text for the live region. */
  announcement: string;
  /** Title is the outcome for the tab of a browser: "Denied · deployments/web". */
  title: string;
  /** those that were asked for */
  parts: Partial<Record<Part, string>>;
}

/** Step has the expressions of one step, for the notes in the editors. */
export interface Step {
  conditions?: Evaluation[];
  variables?: Evaluation[];
  mutations?: Evaluation[];
  validations?: Validation[];
  auditAnnotations?: Evaluation[];
}

/** Text names one of the texts that a user gives. */
export type AnyText = "policies" | "request" | "cluster" | "expression" | "scenario";

/** Diagnostic is one problem. Code is stable and has a documentation page; Summary is one terse line; Detail says what to do about it. */
export interface Diagnostic {
  /** stable; see the list of diagnostics */
  code: string;
  /** how bad it is */
  severity: Severity;
  /** Accepted says that the server accepts the text and that the problem appears later. Such an error does not make the input wrong. */
  accepted?: boolean;
  /** Next says that the server does not report it yet: it stops at an earlier error, and reports this one once that is fixed. */
  next?: boolean;
  /** the text that it is in */
  text: AnyText;
  /** File is set by the command line, which may join several files into a text; Line then counts in that file. */
  file?: string;
  /** Span is exactly the wrong text. */
  span: Span;
  /** of the beginning, from 1 */
  line?: number;
  /** of the beginning, from 1, in characters */
  column?: number;
  /** Path is the field as the API server writes it: spec.validations[0].expression. */
  path?: string;
  /** one terse line */
  summary: string;
  /** what to do about it */
  detail?: string;
  /** other places that take part */
  related?: Related[];
  /** changes that would fix it */
  fixes?: Fix[];
  /** Example is a request that shows the problem, as an AdmissionReview in JSON, where the problem was found without a request. */
  example?: string;
  /** Document names the object the problem is in: Kind/name. */
  document?: string;
}

/** BeforeValidation lists changes by JSON pointer (RFC 6901). */
export interface BeforeValidation {
  set?: Record<string, unknown>;
  remove?: string[];
}

/** Options change what is simulated. */
export interface Options {
  /** Defaulting applies the server's defaults to the request's objects. Nil means: only when the request is a plain object, because captured requests have them already. */
  defaulting?: boolean;
  /** Authorizer answers the authorizer's checks: empty or "rbac" by the RBAC objects of the cluster text, "allow" always yes, "deny" always no. */
  authorizer?: string;
  /** Plugins chooses the built-in admission plugins that run. Nil means those that the release has on by default; of these, only what validates for a captured request, because it has passed the mutating ones already. */
  plugins?: Plugins;
  /** RuntimeConfig lists API versions that the cluster serves although they are off by default, as the server's flag --runtime-config does: see RuntimeConfigs. The feature gates that they need are taken to be on. */
  runtimeConfig?: string[];
  /** FieldValidation is what a request that does not say it asks for: Strict, Warn or Ignore. Empty is the server's default, Warn. */
  fieldValidation?: string;
  /** CompleteCluster says that the cluster text has every object of the cluster: a Namespace, account or class that it lacks does not exist. Otherwise such an object is assumed. */
  completeCluster?: boolean;
  /** AdmissionOnly asks admission alone, as for an object that is only a sketch: no authorization, no validation of built-in kinds, nothing that their storage changes. */
  admissionOnly?: boolean;
  /** Request says how a request that is a plain object is sent. Nil means: created by a user whom Preadmit supplies. An AdmissionReview says all of this itself, so Request does not apply to it. */
  request?: RequestSettings;
  /** PolicyFiles are files and folders with more policies that have not been read, as the field policies of scenario.yaml names them: relative to that file. Who reads them adds their texts to Policies and empties the list; an answer is undecided before. */
  policyFiles?: string[];
}

/** Versions is one scenario on every Kubernetes version, made by package versions from the reports of all of them. */
export interface Versions {
  /** Rows has one entry for each version, oldest first. */
  rows: VersionRow[];
  /** Groups joins neighbouring versions that give the same in everything. */
  groups: VersionGroup[];
}

/** Item is one thing that can be written at the cursor. */
export interface CompletionItem {
  label: string;
  kind: CompletionKind;
  /** Detail is a type or signature in one line. */
  detail?: string;
  /** Doc is help in plain text, paragraphs separated by blank lines. */
  doc?: string;
  /** Apply is what to insert, with ${name} for places to fill in; Label if empty. */
  apply?: string;
  /** Boost moves an item up in the list, or down when negative; from -99 to 99. */
  boost?: number;
}

/** Changes are the values to set; nil leaves one as it is. Empty texts and lists remove the field. */
export interface Changes {
  operation?: string;
  /** User brings the groups of [GroupsOf] where the request has none of its own. */
  user?: string;
  groups?: string[];
  subResource?: string;
  dryRun?: boolean;
  /** Namespace is set in the request, and in its objects. */
  namespace?: string;
  /** OldObject is the text of one object, YAML or JSON. */
  oldObject?: string;
}

/** RequestSettings are what a plain object does not say about its request. Empty fields keep their defaults. */
export interface RequestSettings {
  /** Operation is CREATE, UPDATE, DELETE or CONNECT. The default is CREATE. The old object of an UPDATE is the object itself. */
  operation?: string;
  /** User is the user's name, and Groups are the user's groups. Without a name Preadmit supplies both. */
  user?: string;
  groups?: string[];
  /** SubResource is the subresource, such as "status". */
  subResource?: string;
  /** DryRun marks the request as a dry run. */
  dryRun?: boolean;
}

/** Form is what an object of a running cluster is made of, as a request. */
export type Form = "stripped" | "updated" | "deleted";

/** WebhookName names a webhook in its configuration. */
export interface WebhookName {
  configuration: string;
  name: string;
}

/** Span is a half-open range of bytes in one text. */
export interface Span {
  /** the first byte */
  start: number;
  /** the byte after the last */
  end: number;
}

/** Given is what is known when texts are classified. */
export interface Given {
  /** Scenario is what is there already: its webhooks may have been answered, its policies name the kinds of their params, and it may have a request. */
  scenario?: Scenario;
  /** Into is the text that something was pasted into; empty for files. */
  into?: AnyText;
  /** Request chooses one of the Candidates by its number, from 1. 0 chooses none. */
  request?: number;
  /** Webhook names the webhook whose response was given, where several could be. */
  webhook?: string;
}

/** Applied is a repair that was applied. */
export interface Applied {
  /** of the problem */
  code: string;
  /** what the repair did */
  title: string;
  /** the text with the problem */
  text: AnyText;
  /** of the problem, from 1, in the text as it was then */
  line: number;
  /** Kind/name */
  document?: string;
  /** the problem */
  summary: string;
}

/** Found is a value that looks like a secret. */
export interface Found {
  /** What it is, for a sentence: "a value of Secret shop/db". */
  what: string;
  /** Text is where it is; Line counts from 1. */
  text: AnyText;
  line: number;
}

/** Row is what became of one record: one line of a table of many. */
export interface Row {
  /** File is the name of its file, if several are read; Line is where the record begins in it, from 1. */
  file?: string;
  line: number;
  /** Kind is that of the object, with its group: Deployment.apps. */
  operation?: string;
  kind?: string;
  subResource?: string;
  namespace?: string;
  name?: string;
  user?: string;
  /** State is the verdict. It is empty when the record was not replayed, which Skipped or Problem explain. */
  state?: State;
  code?: number;
  /** Message is that of a rejection; else what the state rests on. */
  message?: string;
  warnings?: string[];
  /** Cells has each policy and webhook that the request met, in the order of the server, and what it rejects. */
  cells?: Cell[];
  /** Skipped says why the record cannot be replayed, Problem what is wrong with it, and Note what is missing from it. */
  skipped?: string;
  problem?: string;
  note?: string;
}

/** CaseResult is what became of one case. */
export interface CaseResult {
  status: CaseStatus;
  /** State is the verdict now, Message that of a rejection or what the verdict rests on. */
  state?: State;
  message?: string;
  /** NotRun says which policies did not run although the case passes, and why. */
  notRun?: string;
  /** Differences are where it is not as expected. */
  differences?: CaseDifference[];
  /** Error says why the case could not be run. */
  error?: string;
}

/** CoverageGap is an expression, or a part of one, with what no case has shown of it. */
export interface CoverageGap {
  /** Name is that of the policy or webhook configuration, Path the field. */
  name: string;
  path: string;
  /** Text is the part, and Span its place among the policies. */
  text: string;
  span: Span;
  /** What is "never ran", "never true" or "never false"; Note says how sure that is. */
  what: string;
  note?: string;
}

/** Request is what the form above the request text shows. */
export interface Request {
  operation: string;
  subResource?: string;
  user: string;
  groups?: string[];
  dryRun: boolean;
}

/** Outcome is what distinguishes the answers of two versions. */
export interface Outcome {
  code: number;
  message?: string;
  mutated: boolean;
}

/** Evaluation is one run of one CEL expression. */
export interface Evaluation {
  /** of the condition, variable or annotation */
  name?: string;
  /** Path is the field of the expression: spec.validations[0].expression. */
  path?: string;
  /** where the expression is */
  text?: AnyText;
  /** the expression in that text */
  span: Span;
  /** as it is in the object */
  expression: string;
  /** Result is the value as JSON; absent when there is an error. */
  result?: unknown;
  /** of the value */
  type?: string;
  /** the server's text */
  error?: string;
  /** Cost is the cost of this expression alone, without its variables. -1 when it never ran. */
  cost: number;
  /** Cached says that a variable's value was already known in this list. */
  cached?: boolean;
  /** Evaluated is false for expressions that never ran (an unread variable, an aborted list). */
  evaluated: boolean;
  /** the values of its parts */
  children?: ReportNode[];
  /** Decisive is the smallest part that made the expression false or fail, which may be the whole expression. Absent when it is neither, or its parts have no values. */
  decisive?: ExpressionPart;
  /** rules that explain the result */
  notes?: Note[];
  /** List is the list of expressions that it ran in: conditions, validations, messages, auditAnnotations, mutation or rules. A list shares variables and a budget. A free expression has the list of its context. */
  list?: List;
  /** Variables are those that this run computed (mutations and free expressions). */
  variables?: Evaluation[];
  /** Outlook reports whether larger objects exceed the limit of a single call. */
  outlook?: Outlook;
}

/** Assumption is something that no text says and on which steps depend. */
export interface Assumption {
  /** what is assumed */
  what: string;
  /** why it must be assumed */
  why: string;
  /** indices in Steps */
  steps: number[];
  /** changes of the texts that make it explicit */
  fixes?: Fix[];
}

/** Validation is the run of one validation. */
export interface Validation extends Evaluation {
  decision?: Verdict;
  messageExpression?: Evaluation;
}

/** Severity says how bad a problem is. The zero value is invalid, so a missing severity is noticed. */
export type Severity = "error" | "warning" | "info";

/** Related is another place that takes part in a problem, such as the field of the object that an expression read. */
export interface Related {
  /** where it is */
  text: AnyText;
  /** the place */
  span: Span;
  /** from 1 */
  line?: number;
  /** from 1, in characters */
  column?: number;
  /** the field */
  path?: string;
  /** the content of the place */
  summary: string;
}

/** Fix is a change of text that would fix a problem. Preadmit never applies it by itself. */
export interface Fix {
  /** what it does, for a button */
  title: string;
  /** applied together */
  edits: Edit[];
  /** Sure is set if this is the problem's only likely fix, so that it may be applied together with those of other problems ("preadmit fix"). */
  sure?: boolean;
  /** Draft says that the reader must fill in a part: it is never sure. */
  draft?: boolean;
  /** Fill is the place, within the new text of the first edit, of a value for the reader to fill in. */
  fill?: Span;
  /** RuntimeConfig are API versions that the fix switches on in the settings (options.runtimeConfig); it then changes no text. */
  runtimeConfig?: string[];
  /** AdmissionOnly leaves out API validation (options.admissionOnly); the fix then changes no text. */
  admissionOnly?: boolean;
  /** RemovePolicyFiles removes the references to files from the settings (options.policyFiles); the fix then changes no text. */
  removePolicyFiles?: boolean;
  /** Request is the fix's change of the settings of a request that is a plain object (options.request); the fix then changes no text. */
  request?: RequestChange;
}

/** Plugins chooses built-in admission plugins. They then run for captured requests as well. Its JSON form is a list of names, which means exactly these, or an object with the lists enable and disable, which are relative to the plugins that the release has on by default. */
export type Plugins = string[] | { enable?: string[]; disable?: string[] };

/** VersionRow is what one version makes of the scenario. */
export interface VersionRow {
  /** Version is the minor version, such as "1.37". */
  version: string;
  /** Verdict is admitted, mutated (and admitted), denied, undecided or "no request". Code, Reason and Message are those of the Outcome. */
  verdict: string;
  code?: number;
  reason?: string;
  message?: string;
  /** Refused are the documents that cannot be created on this version. */
  refused?: RefusedDocument[];
  /** Cost is what all expressions cost together, in CEL cost units. */
  cost: number;
  /** Differs says what is not as on the version before: outcome, refusal, warning, annotation, step, error, object, cost. Empty for the oldest version. */
  differs?: string[];
  /** Reasons say why. A consequence of another difference has no reason of its own. */
  reasons?: VersionReason[];
}

/** VersionGroup is a run of versions without a difference, From and To included. The rest is as in the rows of these versions; Refused counts documents. */
export interface VersionGroup {
  from: string;
  to: string;
  verdict: string;
  refused: number;
  cost: number;
}

/** Kind says what an item is. */
export type CompletionKind = "variable" | "field" | "function" | "method" | "macro" | "type" | "keyword" | "value" | "snippet";

/** State is the verdict on a scenario. The engine decides it once; everything else reads it. */
export type State = "policyRefused" | "noRequest" | "denied" | "undecided" | "noPolicyRan" | "noPolicies" | "mutated" | "admitted";

/** Cell is what one policy, or one webhook, made of a request. */
export interface Cell {
  /** Kind is that of the policy, or of the webhook's configuration. Name is that of the policy or webhook; of a document that the server rejects it is the document's. */
  kind: string;
  name: string;
  /** State is the strongest of all bindings, params and passes. */
  state: CellState;
  /** Reason says in one sentence what the state rests on. */
  reason?: string;
}

/** CaseStatus is the result of a case in a word. */
export type CaseStatus = "passed" | "noPolicy" | "failed";

/** CaseDifference is one way in which a report is not as expected. */
export interface CaseDifference {
  /** Line is the line of expected.yaml, from 1; 0 for what it does not mention. */
  line?: number;
  path: string;
  problem?: string;
  /** Want and Got are values as JSON; both are empty when Problem says it all. */
  want?: string;
  got?: string;
}

/** Node is one sub-expression, with macros as they were written. Selections nest to the left: the child of a.b.c is a.b. */
export interface ReportNode {
  /** in the text that the expression is in */
  span: Span;
  /** Start and End are rune offsets in the expression itself. */
  start: number;
  end: number;
  /** Kind is literal, variable, select, index, call, logical, ternary, list, map, struct, macro, or declared (the variable that a macro declares). */
  kind: string;
  /** Name is the name of the variable, field, function (operators as CEL names them: _+_), macro or type. */
  name?: string;
  /** of the last run, in a loop */
  value?: unknown;
  /** Shown is Value as text if its JSON is not enough: omissions and optionals, which JSON does not have, are not in quotes. */
  shown?: string;
  /** of the value */
  type?: string;
  /** Error is set at the part that raised it, and not at the parts around it. */
  error?: string;
  /** Cost is that of this part alone, over all runs; all parts of an expression together cost what the expression costs. */
  cost: number;
  /** Evaluated is false for a part that short-circuiting left out. */
  evaluated: boolean;
  /** Failed says that the part has no value because one below it raised an error. */
  failed?: boolean;
  /** Count is the number of runs inside a loop, when more than one. */
  count?: number;
  /** Values are the values of the single runs, capped: the first ones, the first that failed (as "error: ..."), and the last. At has for each of them the iterations of the loops around it, outermost first, from 0. Both are absent if no loop variable occurs: every run is like the last. */
  values?: unknown[];
  at?: number[][];
  /** ShownValues has Shown for each of Values, empty where its JSON is enough. Absent when all are empty. */
  shownValues?: string[];
  /** Value or Values were shortened */
  cut?: boolean;
  /** Decided is the iteration that decided an all or exists, or raised the error of a loop. */
  decided?: number;
  /** Note explains Error or Decided in a sentence about the data. */
  note?: string;
  /** Missing is the missing key, Has lists the existing keys (capped), and Nearest is the one that Missing may be a misspelling of. */
  missing?: string;
  has?: string[];
  nearest?: string;
  /** its parts */
  children?: ReportNode[];
}

/** Part is a place within an expression. */
export interface ExpressionPart {
  /** in the text that the expression is in */
  span: Span;
  /** Start and End are rune offsets in the expression itself. */
  start: number;
  end: number;
}

/** Note explains a rule that a reader may not expect. Code is stable. */
export interface Note {
  /** see the list of diagnostics */
  code: string;
  /** one or two sentences */
  text: string;
}

/** List is a list of expressions that run together: they share the values of their variables, and a budget. */
export type List = "conditions" | "validations" | "messages" | "auditAnnotations" | "mutation" | "rules";

/** Outlook reports whether larger objects would break a cost limit. It is present only if requested (package limits). */
export interface Outlook {
  /** in CEL cost units */
  limit: number;
  /** Max is the highest cost by the static estimate, with every list, map and string as long as schema and request size allow; -1 when it has no bound. */
  max: number;
  /** Cannot says that Max is within the limit: no object can break it. */
  cannot?: boolean;
  /** Growth has the objects that exceed the limit, the smallest first. */
  growth?: Growth[];
  /** Incomplete says that the search ended early: lists that are not in Growth may still exceed the limit. */
  incomplete?: boolean;
}

/** Verdict is what a step means for the request. */
export type Verdict = "admit" | "mutate" | "warn" | "audit" | "deny";

/** Edit replaces Span of Text by New. */
export interface Edit {
  /** the text to change */
  text: AnyText;
  /** what is replaced */
  span: Span;
  /** the content of the place afterwards */
  new: string;
}

/** RequestChange changes a request's fields other than its object. Empty fields stay unchanged. */
export interface RequestChange {
  /** CREATE, UPDATE or DELETE */
  operation?: string;
  /** the name of the user */
  user?: string;
  /** the groups of the user */
  groups?: string[];
}

/** RefusedDocument is a document that the server does not create, with the server's text. */
export interface RefusedDocument {
  kind: string;
  name: string;
  message: string;
}

/** VersionReason is a change between two versions that makes a difference here. */
export interface VersionReason {
  /** Since is the version from which it is so. */
  since: string;
  text: string;
  /** Explains names what is different because of it. */
  explains?: string[];
}

/** CellState is what became of a policy: the state of its steps, or refused. */
export type CellState = "refused" | "denied" | "error ignored" | "mutated" | "warned" | "audited" | "admitted" | "unchanged" | "excluded" | "not called" | "skipped" | "not matched";

/** Growth is a list, map or string that breaks a cost limit when it is longer than in the request. */
export interface Growth {
  /** Of is the growing part, as expressions name it: object.spec.containers. For rules of a custom resource it is the path in the object: spec.members. If there are several, they grow together. */
  of: string[];
  /** Unit is items, entries or characters. */
  unit: string;
  /** the length in this request */
  now: number;
  /** the smallest length that breaks the limit */
  from: number;
  /** Like is the repeated item if it was a single one; otherwise all items were repeated in turn. */
  like?: string;
  /** Confirmed says that evaluation with From breaks the limit, and with one less does not. Otherwise From is calculated from shorter lengths. */
  confirmed?: boolean;
}
