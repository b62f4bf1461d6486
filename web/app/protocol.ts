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
  "request/strip": { params: StripParams; result: string };
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

/** EvaluateParams are the parameters of evaluate. */
export interface EvaluateParams {
  scenario: Scenario;
  /** Parts are the parts of the result to render: those that the page shows. The page requests others with render. Without any, the report is not kept. */
  parts?: Part[];
  /** First requests only the outcome. The report is kept; the page then requests its parts and the safety checks' findings with render, and notes with notes. */
  first?: boolean;
  /** Open are the keys of the folds that the reader has opened. Other folds' content is not rendered. */
  open?: string[];
  /** Shown is the report that the page shows. It stays available for render, however many others are evaluated while a text is broken. */
  shown?: number;
  /** Metered says that the reader pays for data. The module is then offered instead of loaded. */
  metered?: boolean;
  /** In are the visible parts of the texts, for notes in the reply. */
  in?: Sight[];
  /** Have are the prints of an earlier reply, whose parts the page still has. */
  have?: Prints;
}

/** Evaluated is the reply to evaluate. */
export interface Evaluated {
  /** ID identifies the report for render; 0 if it is not kept. */
  id: number;
  report: Report;
  html: Rendered;
  /** Editable reports whether there is an object to edit by hand. */
  editable: boolean;
  /** Notes are the notes for the requested parts of the texts, as notes returns them. There are none with First; the page requests them with notes. */
  notes?: Step[];
  /** Untried reports whether some repairs have not been tried, because the reply does not wait for that. The page calls repairs when the reader pauses. */
  untried?: boolean;
  /** Loading says that the API server's own code is needed but still loading. */
  loading?: boolean;
  /** TimedOut says that the evaluation reached its time limit before a verdict. Trying again may help: the first evaluation also starts the engine. */
  timedOut?: boolean;
  /** Broken names a text that cannot be parsed, if any. The page then keeps the last result. */
  broken?: AnyText;
  /** Prints identify the parts of the reply that a key seldom changes. A part is empty here if the page has it. */
  prints: Prints;
}

/** RenderParams are the parameters of render. */
export interface RenderParams {
  /** ID is an evaluated report's. */
  id: number;
  parts: Part[];
  /** Open are the keys of the folds that the reader has opened. */
  open?: string[];
}

/** RenderedParts is the reply to render. */
export interface RenderedParts {
  /** Gone says that the report is no longer kept. The page evaluates again. */
  gone?: boolean;
  parts: Partial<Record<Part, string>>;
  /** Late are the report's problems, if they have changed since the first reply. */
  late?: Repaired;
}

/** UnfoldParams are the parameters of unfold. */
export interface UnfoldParams {
  /** ID is an evaluated report's. */
  id: number;
  /** Key is the fold's key. Around are the enclosing folds' keys. */
  key: string;
  around?: string[];
}

/** Unfolded is the reply to unfold: a fold's content. */
export interface Unfolded {
  /** Gone says that the report is no longer kept. The page evaluates again. */
  gone?: boolean;
  html: string;
}

/** NotesParams are the parameters of notes. */
export interface NotesParams {
  /** ID is an evaluated report's. */
  id: number;
  /** In are the visible parts of the texts. */
  in: Sight[];
}

/** Noted is the reply to notes: the expressions in these parts of the texts with their results, by step. The report has the stand-alone expression. */
export interface Noted {
  /** Gone says that the report is no longer kept. The page evaluates again. */
  gone?: boolean;
  steps: Step[];
}

/** RepairsParams are the parameters of repairs. */
export interface RepairsParams {
  /** ID is an evaluated report's, and Scenario its scenario. */
  id: number;
  scenario: Scenario;
}

/** Repaired is the reply to repairs: what changes in a report after its outcome. It is empty if all problems stay the same. */
export interface Repaired {
  /** Diagnostics replace the report's: some have fewer repairs, or are new. */
  diagnostics?: Diagnostic[];
  /** Problems is their list as HTML. */
  problems?: string;
}

/** ObjectParams are the parameters of object. */
export interface ObjectParams {
  /** ID is an evaluated report's. */
  id: number;
  /** Print requests a fingerprint instead of the text. */
  print?: boolean;
}

/** ObjectText is the reply to object. */
export interface ObjectText {
  /** Gone says that the report is no longer kept. The page evaluates again. */
  gone?: boolean;
  /** Text is the final object as YAML, or its fingerprint; empty if there is none. */
  text: string;
}

/** CompareParams are the parameters of compare. */
export interface CompareParams {
  /** ID is an evaluated report's. */
  id: number;
  /** From and To are frames in the object's film strip, from 0. */
  from: number;
  to: number;
}

/** Compared is the reply to compare. */
export interface Compared {
  /** Gone says that the report is no longer kept. The page evaluates again. */
  gone?: boolean;
  html: string;
}

/** PictureParams are the parameters of picture. */
export interface PictureParams {
  /** ID is an evaluated report's. */
  id: number;
  title: string;
  /** Link is the scenario's link. */
  link: string;
}

/** Picture is the reply to picture. */
export interface Picture {
  /** Gone says that the report is no longer kept. The page evaluates again. */
  gone?: boolean;
  /** SVG is a whole file. Alt describes it in words. */
  svg: string;
  alt: string;
}

/** Scenario is what a user supplies: up to four texts and some settings. The zero value is an empty scenario with default settings. The page and the WebAssembly module exchange its JSON form. */
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
  /** Cluster holds the cluster's objects that the evaluation uses. */
  cluster?: string;
  /** Expression is a stand-alone CEL expression. In the context rule it is YAML instead: a schema with rules, the value to check, and the old value. */
  expression?: string;
  /** ExpressionContext says which place the free expression is evaluated for: webhook, condition, validation, message, mutation, rule, device, claims, user or authorization. Empty means validation. */
  expressionContext?: string;
  /** Now is the value for creationTimestamp, in RFC 3339. Empty means the current time. */
  now?: string;
  /** BeforeValidation holds changes by storage between the mutating and the validating phase. */
  beforeValidation?: BeforeValidation;
  options?: Options;
}

/** VersionStrip is the reply to versions. */
export interface VersionStrip extends Versions {
  /** HTML is the strip with all versions. */
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
  /** Done is false if repeating the call would continue the search. */
  done: boolean;
  /** ID identifies the report with the findings for render; 0 if there are none. */
  id?: number;
}

/** Exampled is the reply to examples: requests that the policies deny and admit, for a scenario without a request. */
export interface Exampled {
  /** Done is false if repeating the call would continue the search. */
  done: boolean;
  /** HTML shows the requests found. Scenarios has the scenario with each of them, and with a binding for each policy that has none. */
  html?: string;
  scenarios?: Scenario[];
}

/** ForeseeParams are the parameters of foresee. */
export interface ForeseeParams {
  /** ID is an evaluated report's, and Scenario its scenario. */
  id: number;
  scenario: Scenario;
}

/** Foreseen is the reply to foresee: problems that requests will have with the policies. */
export interface Foreseen {
  /** Done is false if repeating the call would continue the search. */
  done: boolean;
  /** Late are the report's problems, if they have changed. */
  late?: Repaired;
  /** Stops says that the report has a graph of what policies stop now, which its steps show. */
  stops?: boolean;
}

/** Place is a byte offset in one of a scenario's texts. */
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

/** FormParams are the parameters of request/form. */
export interface FormParams {
  scenario: Scenario;
  set?: Changes;
}

/** Formed is the reply to request/form: the request after a change to the form above its text, and the old object as a separate text. */
export interface Formed {
  text: string;
  /** Request is the setting options.request for the text. With a plain object, everything that the form changes is a setting. */
  request?: RequestSettings;
  oldObject: string;
  /** Problems say where the old object cannot be read. Then the text is unchanged. */
  problems?: Diagnostic[];
}

/** StripParams are the parameters of request/strip: the text of a running cluster's object. */
export interface StripParams {
  text: string;
}

/** ProposeParams is a change to the request's object. One of the other fields is set. */
export interface ProposeParams {
  scenario: Scenario;
  /** After is the changed object as text. */
  after?: string;
  /** Patch is a webhook's patch or response, as text. */
  patch?: string;
  /** Webhook is one of the scenario's webhooks. */
  webhook?: WebhookName;
  /** Skip is a webhook in the scenario that should be called less often. */
  skip?: WebhookName;
}

/** Proposed is the reply to propose: the proposals and their HTML. */
export interface Proposed {
  html: string;
  /** Policies are the proposed policies with their bindings as YAML, by their button names in the HTML. */
  policies: Record<string, string>;
  /** Place is where the policy can replace the webhook in the policies text. */
  place?: Span;
  /** Answer is the place of the webhook's response in the cluster text, which is unused after the policy replaces the webhook. */
  answer?: Span;
  /** Problems say where the changed object cannot be read. Then nothing is proposed. */
  problems?: Diagnostic[];
}

/** Files is the reply to files: a scenario's files. */
export interface Files {
  files: Record<string, string>;
  txtar: string;
}

/** OpenParams are files dropped on the page: a txtar archive, a folder's files by name, or manifests. */
export interface OpenParams {
  files: Record<string, string>;
  /** Request selects one of the possible requests, from 1; 0 means the first. */
  request?: number;
}

/** Opened is the reply to open. */
export interface Opened {
  scenario: Scenario;
  problems?: string[];
  /** Manifests says that the files were single manifests and not a scenario's: Scenario then only has their texts. */
  manifests?: boolean;
  /** Summary describes in one line how manifests were sorted. */
  summary?: string;
  /** Commands print the objects to paste instead of a server's reply. */
  commands?: string[];
  /** Candidates are the names of the possible requests. Chosen is the chosen one's number, from 1. */
  candidates?: string[];
  chosen?: number;
}

/** Paste is a text pasted into a text of the page, and its place. */
export interface Paste {
  /** Given has the scenario before the paste, the target text, and the reader's choices. */
  given: Given;
  text: string;
  /** Before and After surround it in the text. */
  before: string;
  after: string;
  /** Example says that the scenario is an unchanged example. If its policies or request are replaced, a new scenario begins. */
  example?: boolean;
}

/** Pasted is the reply to paste. */
export interface Pasted {
  /** Own says that the paste belongs where it is, unchanged. There is nothing to do. */
  own?: boolean;
  /** Emptied says that the paste replaced the whole example. */
  emptied?: boolean;
  /** Refused says that nothing in it is usable. The scenario is unchanged. */
  refused?: boolean;
  /** Scenario has every document in its place. */
  scenario: Scenario;
  /** Summary describes the result in one line. */
  summary: string;
  /** Candidates are the names of the possible requests. Chosen is the chosen one's number, from 1. */
  candidates?: string[];
  chosen?: number;
  /** Webhooks are the possible senders of the pasted response. */
  webhooks?: string[];
  /** Commands print the objects to paste instead of a server's reply. */
  commands?: string[];
  /** Show is the text with most of the paste. */
  show?: AnyText;
}

/** FixAllParams are the parameters of fixAll. */
export interface FixAllParams {
  scenario: Scenario;
}

/** FixedAll is the reply to fixAll. */
export interface FixedAll {
  /** Scenario has the repaired texts. */
  scenario: Scenario;
  /** Applied lists the applied repairs; empty if no problem has a single likely repair. */
  applied: Applied[];
  /** Errors is the number of remaining errors. */
  errors: number;
}

/** FormatParams are the parameters of format. */
export interface FormatParams {
  /** Text is YAML or JSON. */
  text: string;
}

/** SecretsParams are the parameters of secrets. */
export interface SecretsParams {
  scenario: Scenario;
}

/** Secrets is the reply to secrets. */
export interface Secrets {
  /** Found are the values that look like secrets; empty if there are none. */
  found: Found[];
  /** Unread are the texts that could not be read completely and may contain more. */
  unread: AnyText[];
  /** Scenario has placeholders instead of the values. */
  scenario: Scenario;
}

/** AnswerParams are the parameters of answer: a response of one of the scenario's webhooks, as an AdmissionReview, an AdmissionResponse, a JSON Patch, an HTTP response (as curl -i prints it) or a WebhookResponse's spec. */
export interface AnswerParams {
  scenario: Scenario;
  /** the name of the webhook */
  webhook: string;
  text: string;
}

/** Answered is the reply to answer: the scenario, with the response in its cluster. */
export interface Answered {
  scenario: Scenario;
}

/** TableText is the next part of a capture, or of a file with objects. */
export interface TableText {
  /** Table identifies its table. 0 begins a new one and drops the last. */
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

/** TableRun are the parameters of table/run. */
export interface TableRun {
  table: number;
  /** From is the number of rows that the page has. */
  from: number;
  /** Scenario has the policies and cluster for the requests. The first call passes it, and later calls if it changed. */
  scenario?: Scenario;
}

/** TableRows is the reply to table/run, with as many rows as a short time allows. */
export interface TableRows {
  rows: Row[];
  /** Total is the table's number of records. */
  total: number;
  /** Problems are the errors in the policies and the cluster, one per line. */
  problems?: string[];
  /** Gone says that the table no longer exists and must be read again. */
  gone?: boolean;
}

/** TableRecord identifies a table's record, from 0. */
export interface TableRecord {
  table: number;
  row: number;
}

/** TableCase is a row's request as a text. */
export interface TableCase {
  request: string;
  /** Defaulting says that the request is as the client sent it, without the server's defaults. */
  defaulting?: boolean;
  gone?: boolean;
}

/** Case is a request and its expected result. It uses the page's policies and cluster unless it has its own. */
export interface Case {
  /** Name is the test folder's name. */
  name: string;
  request: string;
  /** Expected is the text of expected.yaml. */
  expected: string;
  /** Defaulting overrides the page's setting for this request. */
  defaulting?: boolean;
  /** Policies and Cluster replace the page's. */
  policies?: string;
  cluster?: string;
  /** Settings replace the page's, including the stand-alone expression. */
  settings?: Scenario;
}

/** CasesRun are the parameters of cases/run. */
export interface CasesRun {
  scenario: Scenario;
  cases: Case[];
}

/** CasesResults is the reply to cases/run, for as many of the first cases as a short time allows. */
export interface CasesResults {
  results: CaseResult[];
}

/** CoverageRun are the parameters of cases/coverage: which parts of the page's policies the cases have covered. */
export interface CoverageRun {
  scenario: Scenario;
  /** Cases are the remaining cases. Former is the previous reply's Former. */
  cases: Case[];
  former?: string;
}

/** CoverageReply is the reply to cases/coverage, for as many of the first cases as a short time allows. */
export interface CoverageReply {
  /** Done is how many cases were evaluated. Elsewhere is how many of them have their own policies instead of the page's. */
  done: number;
  elsewhere: number;
  /** Former is for the next call. */
  former: string;
  /** Shown of Targets is what all cases so far have covered. */
  shown: number;
  targets: number;
  gaps: CoverageGap[];
}

/** CasesOpened is the reply to cases/open. */
export interface CasesOpened {
  /** Scenario is the first case's. The other cases have their differences from it. */
  scenario: Scenario;
  cases: Case[];
  /** Problems list what was left out, one sentence each. */
  problems?: string[];
}

/** Part is a part of the result. All except the outcome have their own tab. */
export type Part = "outcome" | "steps" | "object" | "diff" | "answer";

/** Sight is a byte range in a text. */
export interface Sight {
  text: AnyText;
  start: number;
  end: number;
}

/** Prints identify parts of a reply to evaluate by their content. The page sends those of the parts that it has. */
export interface Prints {
  /** Problems is that of the diagnostics and their list as HTML. */
  problems?: string;
  /** Documents is that of the list of documents as HTML. */
  documents?: string;
}

/** Report is what the page reads of a report immediately. The HTML has what it only shows. The page requests the editors' notes once the HTML is on the screen (notes). */
export interface Report {
  /** Request is absent if the request text could not be used. */
  request?: Request;
  outcome: Outcome;
  diagnostics: Diagnostic[];
  /** Expression is the scenario's stand-alone expression. */
  expression?: Evaluation;
  /** Rules has the evaluations of rules without a definition. */
  rules?: Step;
  /** FromCluster says that the request is an object from a running cluster. */
  fromCluster?: boolean;
  /** Assumed lists what the verdict assumes. */
  assumed?: Assumption[];
}

/** Rendered is a result's HTML. */
export interface Rendered {
  outcome: string;
  /** Render leaves it empty, because its caller knows whether the page has it */
  problems: string;
  documents: string;
  /** Announcement is plain text for the live region. */
  announcement: string;
  /** Title is the outcome for a browser tab: "Denied · deployments/web". */
  title: string;
  /** the requested parts */
  parts: Partial<Record<Part, string>>;
}

/** Step has one step's expressions for the editors' notes. */
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
  /** Accepted says that the server accepts the text and the problem appears later. Such an error does not make the input wrong. */
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
  /** other places involved */
  related?: Related[];
  /** changes that fix it */
  fixes?: Fix[];
  /** Example is a request that shows the problem, as an AdmissionReview or an object, if the problem was found without a request. */
  example?: string;
  /** Document names the object that has the problem: Kind/name. */
  document?: string;
}

/** BeforeValidation lists changes by JSON pointer (RFC 6901). */
export interface BeforeValidation {
  set?: Record<string, unknown>;
  remove?: string[];
}

/** Options change what is simulated. */
export interface Options {
  /** Defaulting applies the server's defaults to the request's objects. Nil means only for plain objects, because captured requests already have defaults. */
  defaulting?: boolean;
  /** Authorizer decides authorizer checks. Empty or "rbac" uses the cluster text's RBAC objects, "allow" always allows, "deny" always denies. */
  authorizer?: string;
  /** Plugins selects the built-in admission plugins that run. Nil means the release's defaults. For a captured request these are only the validating ones, because it has already passed the mutating ones. */
  plugins?: Plugins;
  /** RuntimeConfig lists API versions that are off by default but served by the cluster, like the server's flag --runtime-config. See RuntimeConfigs. Their feature gates are assumed to be on. */
  runtimeConfig?: string[];
  /** FieldValidation is the default for requests that do not set it: Strict, Warn or Ignore. Empty is the server's default, Warn. */
  fieldValidation?: string;
  /** CompleteCluster says that the cluster text is complete: a Namespace, account or class that it lacks does not exist. Otherwise Preadmit assumes such objects. */
  completeCluster?: boolean;
  /** AdmissionOnly runs admission alone, for an incomplete object: no authorization, no API validation of built-in kinds, no changes by storage. */
  admissionOnly?: boolean;
  /** Request says how a plain object is sent. Nil means that a user supplied by Preadmit creates it. It does not apply to an AdmissionReview, which has these settings itself. */
  request?: RequestSettings;
  /** PolicyFiles are unread files and folders with more policies, from the field policies of scenario.yaml and relative to that file. The caller that reads them adds their texts to Policies and empties the list. Until then every verdict is undecided. */
  policyFiles?: string[];
}

/** Versions compares one scenario on every Kubernetes version. Package versions builds it from their reports. */
export interface Versions {
  /** Rows has one entry for each version, oldest first. */
  rows: VersionRow[];
  /** Groups joins adjacent versions with the same result. */
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
  /** Apply is only a setting, even where the text is a review. */
  apply?: ApplySettings;
  /** Force makes a server-side apply take fields over. */
  force?: boolean;
}

/** RequestSettings complete the request for a plain object. Empty fields keep their defaults. */
export interface RequestSettings {
  /** Operation is CREATE, UPDATE, DELETE or CONNECT. The default is CREATE. */
  operation?: string;
  /** User is the user's name, and Groups are the user's groups. Without a name Preadmit supplies both. */
  user?: string;
  groups?: string[];
  /** Namespace is the request's namespace if the object names none and its kind is namespaced. The default is "default". */
  namespace?: string;
  /** SubResource is the subresource, such as "status". */
  subResource?: string;
  /** DryRun marks the request as a dry run. */
  dryRun?: boolean;
  /** OldObject is the text of an UPDATE's old object, YAML or JSON. Without one it is the object itself. Other operations ignore it. */
  oldObject?: string;
  /** Apply makes the request a server-side apply: its object is the applied configuration, and the old object is the stored one. Without an old object the apply creates the object. Alone among these settings it also applies to an AdmissionReview. */
  apply?: ApplySettings;
}

/** WebhookName identifies a webhook in its configuration. */
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

/** Given is the context for classifying texts. */
export interface Given {
  /** Scenario is the current scenario: its webhooks may have responses, its policies name the kinds of their params, and it may have a request. */
  scenario?: Scenario;
  /** Unread are the names of manifests beside the files, which nobody reads (ReadFS). */
  unread?: string[];
  /** Into is the text that something was pasted into; empty for files. */
  into?: AnyText;
  /** Request selects one of the Candidates by number, from 1. 0 selects none. */
  request?: number;
  /** Webhook names the webhook that sent the given response, if several are possible. */
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

/** CaseResult is one case's result. */
export interface CaseResult {
  status: CaseStatus;
  /** State is the current verdict. Message is a rejection's message, or the verdict's assumptions. */
  state?: State;
  message?: string;
  /** NotRun says which policies did not run in a passing case, and why. */
  notRun?: string;
  /** Differences are the deviations from the expected result. */
  differences?: CaseDifference[];
  /** Error says why the case could not run. */
  error?: string;
}

/** CoverageGap is an expression, or a part of one, with an outcome that no case has covered. */
export interface CoverageGap {
  /** Name is the policy's or webhook configuration's name; Path is the field. */
  name: string;
  path: string;
  /** Text is the part, and Span its place in the policies text. */
  text: string;
  span: Span;
  /** What is "never ran", "never true" or "never false". Note says how certain that is. */
  what: string;
  note?: string;
}

/** Request is the content of the form above the request text. */
export interface Request {
  operation: string;
  subResource?: string;
  user: string;
  groups?: string[];
  dryRun: boolean;
}

/** Outcome has the differences between two versions' verdicts. */
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
  /** Result is the value as JSON; absent on an error. */
  result?: unknown;
  /** of the value */
  type?: string;
  /** the server's text */
  error?: string;
  /** Cost is this expression's own cost, without its variables; -1 if it never ran. */
  cost: number;
  /** Cached says that a variable was read again after its evaluation, at no cost. */
  cached?: boolean;
  /** Evaluated is false for expressions that never ran (an unread variable, an aborted list). */
  evaluated: boolean;
  /** the values of its parts */
  children?: ReportNode[];
  /** Decisive is the smallest part that made the expression false or fail, which may be the whole expression. It is absent if neither happened, or if the parts have no values. */
  decisive?: ExpressionPart;
  /** rules that explain the result */
  notes?: Note[];
  /** List is the expression's list: conditions, validations, messages, auditAnnotations, mutation or rules. A list shares variables and a budget. A stand-alone expression has its context's list. */
  list?: List;
  /** Variables are those that this evaluation computed (mutations and stand-alone expressions). */
  variables?: Evaluation[];
  /** Outlook reports whether larger objects exceed the limit of a single call. */
  outlook?: Outlook;
}

/** Assumption is something that no text says and that steps depend on. */
export interface Assumption {
  /** what is assumed */
  what: string;
  /** why it must be assumed */
  why: string;
  /** indices in Steps */
  steps: number[];
  /** text changes that make it explicit */
  fixes?: Fix[];
}

/** Validation is a validation's evaluation. */
export interface Validation extends Evaluation {
  decision?: Verdict;
  messageExpression?: Evaluation;
}

/** Severity says how bad a problem is. The zero value is invalid, so a missing severity is noticed. */
export type Severity = "error" | "warning" | "info";

/** Related is another place that is involved in a problem, such as the object's field that an expression read. */
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
  /** explains the place */
  summary: string;
}

/** Fix is a text change that fixes a problem. Preadmit never applies it by itself. */
export interface Fix {
  /** what it does, for a button */
  title: string;
  /** applied together */
  edits: Edit[];
  /** Sure says that this is the problem's only likely fix, so that it may be applied together with other problems' fixes ("preadmit fix"). */
  sure?: boolean;
  /** Draft says that the reader must fill in a part. It is never Sure. */
  draft?: boolean;
  /** Fill is the place, in the first edit's new text, of a value for the reader to fill in. */
  fill?: Span;
  /** RuntimeConfig lists API versions that the fix enables in the settings (options.runtimeConfig). The fix then changes no text. */
  runtimeConfig?: string[];
  /** AdmissionOnly leaves out API validation (options.admissionOnly); the fix then changes no text. */
  admissionOnly?: boolean;
  /** RemovePolicyFiles removes the references to files from the settings (options.policyFiles); the fix then changes no text. */
  removePolicyFiles?: boolean;
  /** Request changes the settings of a plain object's request (options.request). The fix then changes no text. */
  request?: RequestChange;
}

/** Plugins selects built-in admission plugins. They then also run for captured requests. Its JSON form is a list of names, which means exactly these, or an object with the lists enable and disable, relative to the release's default plugins. */
export type Plugins = string[] | { enable?: string[]; disable?: string[] };

/** VersionRow is one version's result for the scenario. */
export interface VersionRow {
  /** Version is the minor version, such as "1.37". */
  version: string;
  /** Verdict is admitted, mutated (and admitted), denied, undecided or "no request". Code, Reason and Message are the Outcome's. */
  verdict: string;
  code?: number;
  reason?: string;
  message?: string;
  /** Refused are the documents that cannot be created on this version. */
  refused?: RefusedDocument[];
  /** Cost is the total cost of all expressions, in CEL cost units. */
  cost: number;
  /** Differs lists differences from the previous version: outcome, refusal, warning, annotation, step, error, object, cost. It is empty for the oldest version. */
  differs?: string[];
  /** Reasons explain them. A consequence of another difference has no reason of its own. */
  reasons?: VersionReason[];
}

/** VersionGroup is a run of versions without a difference, From and To included. The other fields are those of the versions' rows; Refused counts documents. */
export interface VersionGroup {
  from: string;
  to: string;
  verdict: string;
  refused: number;
  cost: number;
}

/** Kind says what an item is. */
export type CompletionKind = "variable" | "field" | "function" | "method" | "macro" | "type" | "keyword" | "value" | "snippet";

/** ApplySettings are the options of a server-side apply. */
export interface ApplySettings {
  /** FieldManager is the name of the client that owns the applied fields. The server requires it. */
  fieldManager?: string;
  /** Force takes fields over from other managers, as kubectl apply --force-conflicts does. */
  force?: boolean;
}

/** State is the verdict on a scenario. Only the engine decides it; everything else reads it. */
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

/** CaseStatus is a case's result in a word. */
export type CaseStatus = "passed" | "noPolicy" | "failed";

/** CaseDifference is one deviation of a report. */
export interface CaseDifference {
  /** Line is the line in expected.yaml, from 1; 0 if the file does not mention it. */
  line?: number;
  path: string;
  problem?: string;
  /** Want and Got are JSON values. Both are empty if Problem is sufficient. */
  want?: string;
  got?: string;
}

/** Node is one sub-expression, with macros as written. Selections nest to the left: the child of a.b.c is a.b. */
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
  /** Error is set at the part that raised it, not at its parents. */
  error?: string;
  /** Cost is this part's own cost, over all runs. The costs of an expression's parts add up to the expression's cost. */
  cost: number;
  /** Evaluated is false for a part skipped by short-circuiting. */
  evaluated: boolean;
  /** Failed says that the part has no value because a part below it raised an error. */
  failed?: boolean;
  /** Count is the number of runs inside a loop, if more than one. */
  count?: number;
  /** Values are the single runs' values, capped: the first ones, the first failure (as "error: ..."), and the last. At has the enclosing loops' iterations for each of them, outermost first, from 0. Both are absent if no loop variable occurs, because every run is equal. */
  values?: unknown[];
  at?: number[][];
  /** ShownValues has Shown for each of Values, empty if its JSON is enough. It is absent if all are empty. */
  shownValues?: string[];
  /** Value or Values were shortened */
  cut?: boolean;
  /** Decided is the iteration that decided an all or exists, or raised a loop's error. */
  decided?: number;
  /** Note explains Error or Decided in a sentence about the data. */
  note?: string;
  /** Missing is the missing key, Has lists the existing keys (capped), and Nearest is the key that was probably intended. */
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

/** List is a list of expressions evaluated together: they share variables' values and a budget. */
export type List = "conditions" | "validations" | "messages" | "auditAnnotations" | "mutation" | "rules";

/** Outlook says whether larger objects would exceed a cost limit. It is only present on request (package limits). */
export interface Outlook {
  /** in CEL cost units */
  limit: number;
  /** Max is the highest cost by the static estimate, with every list, map and string as long as schema and request size allow; -1 if unbounded. */
  max: number;
  /** Cannot says that Max is within the limit: no object can exceed it. */
  cannot?: boolean;
  /** Growth has the smallest growth that exceeds the limit for each list, map or string, smallest first. */
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
  /** the new content */
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
  /** a server-side apply takes fields over */
  force?: boolean;
  /** FieldManager makes the request a server-side apply by this manager. */
  fieldManager?: string;
}

/** RefusedDocument is a rejected document, with the server's text. */
export interface RefusedDocument {
  kind: string;
  name: string;
  message: string;
}

/** VersionReason is a change between two versions that makes a difference here. */
export interface VersionReason {
  /** Since is the first version with the change. */
  since: string;
  text: string;
  /** Explains names the resulting differences. */
  explains?: string[];
}

/** CellState is what became of a policy: the state of its steps, or refused. */
export type CellState = "refused" | "denied" | "error ignored" | "mutated" | "warned" | "audited" | "admitted" | "unchanged" | "excluded" | "not called" | "skipped" | "not matched";

/** Growth is a list, map or string that exceeds a cost limit if it is longer than in the request. */
export interface Growth {
  /** Of is the growing part, as expressions name it: object.spec.containers. For custom resource rules it is the path in the object: spec.members. Several parts grow together. */
  of: string[];
  /** Unit is items, entries or characters. */
  unit: string;
  /** length in this request */
  now: number;
  /** smallest length that exceeds the limit */
  from: number;
  /** Like is the repeated item, if only one was; otherwise all items were repeated in turn. */
  like?: string;
  /** Confirmed says that evaluation exceeds the limit with length From, but not with one less. Otherwise From is extrapolated from shorter lengths. */
  confirmed?: boolean;
}
