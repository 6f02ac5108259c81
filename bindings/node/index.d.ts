// The types of toolkeep for Node. The operations' types are generated: see operations.d.ts.

import type { URL } from 'node:url'

import type {
  Action,
  Capability,
  Code,
  Config,
  Event,
  Operations,
  ShellCheck,
  ShellEnv,
  ShellModes,
  ShellPlan,
  ShellProposal,
  ShellSettings,
  Taint,
  Touch,
} from './operations'

export type * from './operations'

/** What JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Who calls and from where. Every field is the host's word: none is ever taken from a model. */
export interface Caller {
  /** Whose data this is. Nothing is ever shared between tenants. Default: `default`. */
  tenant?: string | null
  /** The agent that calls. Its own lists in the store narrow what it may call. */
  agent?: string | null
  /** The person on whose behalf the agent works. */
  user?: string | null
  /** Who sent the message that the agent answers, where that is not the user. */
  sender?: string | null
  /** The sender's role, in the host's words. */
  role?: string | null
  /** The channel: `telegram`, `cli`, … */
  channel?: string | null
  /** The type of the channel, where `channel` is the name of one of several of that type. */
  channelType?: string | null
  /** The chat within the channel. */
  chat?: string | null
  /** `direct` or `group`; anything else is refused. */
  peerKind?: 'direct' | 'group' | null
  /** The conversation. Rate limits count and artifacts are kept per session. */
  session?: string | null
  /** The model's provider: `anthropic`, `openai`, … */
  provider?: string | null
  /** The model. */
  model?: string | null
  /** A workspace folder for this caller instead of the runtime's. */
  workspace?: string | null
  /** Folders that this caller may read besides its workspace, by absolute paths. */
  readRoots?: readonly string[] | null
  /** Folders that this caller may read and write besides its workspace, by absolute paths. */
  writeRoots?: readonly string[] | null
  /** What file tools neither touch nor show to this caller, besides `files.deny`. */
  denyPaths?: readonly string[] | null
  /**
   * `open` (each user has context files of his own) or `predefined` (they are the agent's),
   * instead of what the agent's row in the store says in `settings.type`.
   */
  agentType?: 'open' | 'predefined' | null
  /** The team that the agent belongs to. */
  team?: string | null
  /** The folder that the team shares. */
  teamWorkspace?: string | null
  /** What the agent is in the team: a `reviewer` does not write the team's files. */
  teamRole?: string | null
  /** The run that this call is part of. */
  run?: string | null
  /** How many agents stand above this one. Default: one more than the parent's, or 0. */
  depth?: number | null
  /**
   * Who started this agent, where another agent did. It never gets more than that one has. A tool
   * that starts an agent gives its own context.
   */
  parent?: Caller | null
  /** Only these tools remain for this request, as in `policy.allow`. Empty: none. */
  tools?: readonly string[] | null
  /** The deadline of one call in milliseconds, instead of the tool's or the runtime's. */
  timeoutMs?: number | null
}

/** Who calls, and how the call is aborted. */
export interface CallOptions extends Caller {
  /** Aborts the call: it rejects with `AbortError`, code `cancelled`, and `cause` is the reason. */
  signal?: AbortSignal | null
}

/** A file to hand to the user along with a result. */
export interface Media {
  /** Where it lies: a path in the workspace, or a URL. */
  path: string
  /** The name to show. */
  filename?: string
  /** The MIME type. */
  mime?: string
  /** A caption. */
  caption?: string
}

/** Something that was done to an argument so that it fits the tool's schema. */
export interface Repair {
  /** The argument: `a.b[0]`. Empty: the arguments as a whole. */
  path: string
  /**
   * What was done: `parsed`, `renamed`, `dropped_alias`, `coerced`, `wrapped`, `dropped_null`,
   * `defaulted`.
   */
  kind: string
  /** The type that it had (`string`), or the name that it came under. */
  from?: string
  /** The type that it has now, or its own name. */
  to?: string
}

/** The answer to a call. A refusal is an answer, too, with `isError` and a `code`. */
export interface ToolResult<Structured = unknown> {
  /** The text for the model: scrubbed, and capped. */
  forLlm: string
  /** The text for the user, where it differs. */
  forUser: string | null
  /** True if the call was refused or the tool failed. */
  isError: boolean
  /** The stable code of the refusal or failure. */
  code: Code | null
  /** The rule that refused. */
  rule: string | null
  /** When the same call may be tried again, in milliseconds. */
  retryAfterMs: number | null
  /** True if the user need not see it. */
  silent: boolean
  /** True if work goes on in the background. */
  isAsync: boolean
  /** Files for the user. */
  media: Media[]
  /** The result as data, where the tool has it. Scrubbed. */
  structured: Structured | null
  /** The artifact that holds the whole text when `forLlm` was cut. */
  artifact: string | null
  /** What was done to the arguments so that they fit. */
  repairs: Repair[]
  /** True if this is the result of an earlier call of the run: the tool did not run again. */
  cached: boolean
  /** The approval that the call waits for, was denied by, or used: the id for `approvals`. */
  approval: string | null
  /** The id of the call: the same as in its audit row and events. */
  callId: string
  /** How long the tool ran, in microseconds. 0 if it did not. */
  durationUs: number
}

/** One call of a model's turn. */
export interface CallRequest {
  /** The id that the provider gave the call; it comes back with the answer. */
  id: string
  /** The tool, as the model named it. */
  name: string
  /** The arguments: an object, or the JSON text as the model wrote it. Default: none. */
  arguments?: object | string | null
}

/** The answer to a {@link CallRequest}. */
export interface CallAnswer {
  /** The id of the request. */
  id: string
  /** What it came to. */
  result: ToolResult
}

/** A rule of the policy. */
export interface PolicyRule {
  /** The list and, where one entry decided, the entry: `policy.deny[0] = "group:fs"`. */
  name: string
  /** The same as a sentence. */
  text: string
}

/** One step of an explanation. */
export interface ExplanationStep {
  /** The list that was applied: `policy.profile`, `policy.allow`, `agent helper deny`, … */
  source: string
  /** Whether the tool was still allowed before it. */
  before: boolean
  /** Whether the tool was still allowed after it. */
  after: boolean
  /** The rule that changed it; null if the step left the tool as it was. */
  rule: PolicyRule | null
}

/** Why a tool may or may not be called. */
export interface Explanation {
  /** The tool, by its own name. */
  tool: string
  /** Whether the policy allows it. */
  allowed: boolean
  /**
   * True where the policy is only watched (`policy.mode = "shadow"`) and does not allow it: a call
   * would run all the same, and the ledger would say what it would be refused by.
   */
  wouldBeRefused: boolean
  /** The code that a call would be refused with. */
  code: Code | null
  /** The rule that refuses it, or would. */
  rule: PolicyRule | null
  /** The rule by which each call wants somebody's approval. */
  asks: PolicyRule | null
  /** What each list did, in order. The last one's `after` is what `allowed` says. */
  steps: ExplanationStep[]
  /** Where the policy comes from: the path of its file, or `given in code`. */
  source: string
}

/** A provider's way to write a tool definition. */
export type Dialect = 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'mcp' | 'json-schema'

/** Who calls, and which form of the definitions is wanted. */
export interface DefinitionOptions extends CallOptions {
  /**
   * True for the form that the provider holds its model to. Default: `definitions.strict` of the
   * configuration.
   */
  strict?: boolean | null
}

/** A tool that one provider cannot be told of. Calls of it still work. */
export interface Quarantined {
  /** The tool, by its own name. */
  tool: string
  /** The shape that it does not fit. */
  dialect: Dialect
  /** What cannot be expressed, and what would help. */
  reason: string
  /** Where, as a JSON pointer into the tool's `parameters`; empty for all of it. */
  path: string
}

/** What a model is told of the tools that its caller may call, and what it is not. */
export interface Definitions<Definition = any> {
  /** The shape. */
  dialect: Dialect
  /** True if it is the strict form. */
  strict: boolean
  /** The definitions, one a tool: canonical names sorted, then aliases sorted. */
  tools: Definition[]
  /** The tools that are left out because the provider cannot be told of them. */
  quarantined: Quarantined[]
  /** The tools that are not defined yet but found by `tool_search`, sorted. */
  deferred: string[]
}

/** Who called a tool, with all fields. */
export type CallerContext = {
  readonly [K in keyof Caller]-?: K extends 'tenant'
    ? string
    : K extends 'depth'
      ? number
      : K extends 'parent'
        ? CallerContext | null
        : Caller[K] & ({} | null)
}

/** Who called a tool, with all fields, and the signal of the call. */
export type ToolContext = CallerContext & {
  /** Fires when the call is cancelled, when its time is up, or when the runtime is closed. */
  readonly signal: AbortSignal
  /**
   * How the command that the call brings along is to be run, for a tool with a `shellCommand`: a
   * program with its arguments or a script, the folder, and what it may do then. What runs so is
   * what was judged and approved. Null in a call without a command, and where the vault has put a
   * secret into the command: then only the argument has it.
   */
  readonly plan: ShellPlan | null
}

/**
 * What a tool may return. A string is the text for the model, nothing is an empty text, an object
 * with `forLlm` is a whole result, and anything else that JSON can hold is data, which the model
 * sees as compact JSON. What JSON cannot hold (functions, BigInt, NaN, a Map, an object that refers
 * to itself) makes the call an error with the code `invalid_result`.
 */
export type ToolReturn = string | number | boolean | object | null | undefined | void

/** A tool of the host's. */
export interface ToolDefinition<Args = Record<string, any>> {
  /** A letter or `_`, then letters, digits, `_` or `-`, at most 64 characters. */
  name: string
  /** What it does and when to use it, for the model. */
  description?: string
  /** The JSON Schema (2020-12) of its arguments. Default: any object. */
  parameters?: object
  /** The group that it joins, for policies. */
  group?: string
  /** What it can do. Default: `mutating`. */
  capabilities?: readonly Capability[]
  /** Its deadline in milliseconds, instead of the runtime's. */
  timeoutMs?: number
  /**
   * Which arguments name what a call touches. Calls of one turn that touch different things run
   * side by side.
   */
  touches?: readonly Touch[]
  /** The channel types that it works on. Default: all. Where the caller's is another it is hidden. */
  channels?: readonly string[]
  /** Other names that arguments may come under, by the argument's own. */
  argumentAliases?: { readonly [argument: string]: readonly string[] }
  /** True if the same call may well be repeated until its answer changes. */
  polling?: boolean
  /** True if each call wants somebody's approval. */
  needsApproval?: boolean
  /** What its results do to a session. */
  taints?: readonly Taint[]
  /** The action that it is, for agents whose actions are limited. */
  action?: Action
  /** The name that it has where it comes from, if that is another. */
  originalName?: string
  /** The argument that is a command of a shell: a text, or a list of its words. It is judged before `run` is called. */
  shellCommand?: string
  /** The argument that names the folder in which that command starts. */
  shellCwd?: string
  /** The argument that is given to that command on standard input: a text. */
  shellStdin?: string
  /**
   * Does the work. The arguments fit `parameters`. Throwing a {@link ToolError} chooses the code
   * that the model is told; anything else that is thrown is a `tool_failed` with its message.
   * The AsyncLocalStorage of the caller is kept.
   */
  run(args: Args, context: ToolContext): ToolReturn | PromiseLike<ToolReturn>
}

/** What to follow, and from where on. */
export interface FollowOptions {
  /** Whose events. Default: `default`. */
  tenant?: string
  /**
   * Go on after the event of this `seq`. Default: 0, from the beginning. `rt.events.last()` gives
   * the place from which on everything is new.
   */
  after?: number
  /** Only events about this: the session of a call, the id of an agent, … */
  subject?: string | null
  /** Only events whose kind begins with one of these: `['call.', 'agent.changed']`. */
  kinds?: readonly string[]
  /** Ends the stream: a wait rejects with `AbortError`, code `cancelled`, `cause` is the reason. */
  signal?: AbortSignal | null
}

/**
 * The events of a tenant, those that are there and those to come, in order:
 * `for await (const event of rt.events.follow({ after }))`.
 *
 * Events are delivered at least once to a reader that begins again after the last one it is done
 * with. It ends when it is closed, when the loop is left, or when the runtime is closed. What the
 * store cannot do rejects; `next()` then goes on where it was. A wait for an event keeps the process
 * alive, as any call does; a stream that nobody waits in does not.
 */
export interface EventStream extends AsyncIterableIterator<Event>, AsyncDisposable {
  /**
   * The `seq` of the last event that was given, or passed over because it is not wanted: give it as
   * `after` to go on from here.
   */
  readonly cursor: number

  /**
   * How many events of the tenant were pruned before this reader came to them, wanted or not. It
   * grows when the next event that is left is reached.
   */
  readonly dropped: number

  next(): Promise<IteratorResult<Event, undefined>>

  /** Ends the stream, and every wait in it. Closing again does nothing. */
  close(): void

  [Symbol.asyncIterator](): EventStream
}

/** The operations of events, and `follow`. */
export type Events = Operations['events'] & {
  /**
   * Follows the events of a tenant. A bad option, a closed runtime, and a place of another store
   * make the first `next()` reject.
   */
  follow(options?: FollowOptions | null): EventStream
}

/** The governed tool layer of one agent program. */
export interface Runtime extends Operations, AsyncDisposable {
  /** What happened, in order, readable from any place on. */
  readonly events: Events

  /** Waits until the runtime is open, and gives it. Rejects where it could not be opened. */
  ready(): Promise<this>

  /** True once {@link close} was called. */
  readonly closed: boolean

  /**
   * Takes one call along the path: policy, arguments, limits, the tool itself, scrubbing, record.
   * Whatever the model caused is a result with `isError`.
   *
   * @param args An object, or the JSON text as the model wrote it.
   * @throws {ToolkeepError} `closed`, `cancelled`, `invalid_argument`, `invalid_utf8`, or the store's.
   */
  call<Structured = unknown>(
    name: string,
    args?: object | string | null,
    options?: CallOptions | null,
  ): Promise<ToolResult<Structured>>

  /**
   * Takes the calls of one model turn: independent ones side by side, the rest in order. Every
   * request is answered, in order; one that failed never loses a sibling.
   */
  callAll(requests: readonly CallRequest[], options?: CallOptions | null): Promise<CallAnswer[]>

  /** The definitions of the tools that this caller may call, for a provider's API. */
  definitions<Definition = any>(
    dialect: Dialect,
    options?: DefinitionOptions | null,
  ): Promise<Definition[]>

  /** The definitions, and which tools are left out of them: quarantined, or deferred. */
  definitionsReport<Definition = any>(
    dialect: Dialect,
    options?: DefinitionOptions | null,
  ): Promise<Definitions<Definition>>

  /** Whether the caller may call the tool, and which rule says so. Rejects with `not_found`. */
  explain(tool: string, options?: CallOptions | null): Promise<Explanation>

  /**
   * Judges a command of a shell as it would be judged in a call of this caller, with his folders and
   * the links in them. Runs nothing.
   */
  checkCommand(command: string, options?: CallerCheckOptions | null): Promise<CommandCheck>

  /** Runs one operation by name: what `rt.agents.put({…})` and the like do. */
  invoke<Result = unknown>(operation: string, args?: object): Promise<Result>

  /**
   * Adds a tool of the host's, for every call that is made afterwards. Rejects with `name_taken`
   * or `invalid_argument`.
   *
   * @param options With `replace` it may take the place of what has its name: another tool, whose
   *   aliases it takes over, or an alias.
   */
  tool<Args = Record<string, any>>(
    definition: ToolDefinition<Args>,
    options?: { replace?: boolean } | null,
  ): Promise<void>

  /** Removes a tool with its aliases. Calls that are running go on. Rejects with `not_found`. */
  unregister(name: string): Promise<void>

  /**
   * Ends the runtime: calls that are running are cancelled, what is queued is written, the store is
   * closed. Later calls reject with `closed`. Closing again does nothing.
   */
  close(): Promise<void>
}

/** What somebody is asked to decide. */
export interface ApprovalRequest {
  /** The approval's id: the same as in the store and in the events. */
  readonly id: string
  /** The tool. */
  readonly tool: string
  /** What the tool does, as the model was told. */
  readonly description: string
  /** The arguments that the tool will get, with every secret in them. */
  readonly arguments: Record<string, any>
  /** Why it is asked: the rule that asks, and a sentence for the person who decides. */
  readonly reasons: readonly { readonly rule: string; readonly why: string }[]
  /** What the call comes to, where the tool says so. */
  readonly plan: unknown
  /** What may be kept as a rule so that it is not asked again, the narrowest first. Empty: nothing. */
  readonly proposals: readonly ShellProposal[]
  /** The agent that calls. */
  readonly agent: string | null
  /** The user for whom it calls. */
  readonly user: string | null
  /** The session of the call. */
  readonly session: string | null
  /** Until when it can be decided, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly expiresAtMs: number
}

/** What somebody decided. */
export interface ApprovalAnswer {
  /** True to allow the call once, false to deny it. */
  allow: boolean
  /** Who decides. Default: `host`. */
  by?: string
  /** Why. Where the call is denied the model is told. */
  reason?: string | null
  /** Other arguments to make the call with, all of them; only where it is allowed. */
  edited?: Record<string, unknown> | null
  /** Which of the proposals to keep as a rule, from 0; only where the call is allowed as it is. */
  always?: number | null
}

/** What a host gives a runtime that no configuration can hold. */
export interface RuntimeOptions {
  /**
   * Gives the key that secrets are sealed under, from a keychain, say: 64 hexadecimal digits, or 44
   * characters of base64. Called once, before the runtime opens. Instead of `secrets.key` in the
   * configuration. What it throws becomes the `cause` of an `invalid_config`.
   */
  key?: (() => string | PromiseLike<string>) | null
  /**
   * Decides where a call wants approval: `true`, `false`, an {@link ApprovalAnswer}, or nothing to
   * leave it to others. The first decision counts, also one that comes from elsewhere. `signal`
   * fires when nobody waits for this one any more. Throwing, or giving anything else, denies the
   * call; the approval's `reason` says why, and the model is not told.
   */
  approve?:
    | ((
        request: ApprovalRequest,
        context: ToolContext,
      ) => ApprovalDecision | PromiseLike<ApprovalDecision>)
    | null
}

/** What an `approve` handler may give. */
export type ApprovalDecision = boolean | ApprovalAnswer | null | undefined | void

export declare const Runtime: {
  /**
   * A runtime that begins to open. Every method waits for that; where it fails, the first method
   * rejects with the reason, and so does `ready()`.
   */
  new (config?: Config, options?: RuntimeOptions | null): Runtime

  /**
   * Opens the runtime that a configuration file describes (`.toml` or `.json`). Relative paths in
   * it start at its folder.
   */
  open(path: string | URL, options?: RuntimeOptions | null): Promise<Runtime>
}

/**
 * The host's own mistake, a store that does not answer, or the caller's own cancellation (then
 * `name` is `AbortError`). What a model caused is a {@link ToolResult} instead.
 */
export declare class ToolkeepError extends Error {
  /** The stable code. */
  readonly code: Code
}

/** Thrown by a tool, to choose the code that the model is told. */
export declare class ToolError extends Error {
  /**
   * The code is one of those that a model can cause; any other becomes `tool_failed`, the default.
   * One that there is not throws a {@link ToolkeepError} `invalid_argument`.
   */
  constructor(message: string, options?: { code?: Code; cause?: unknown })
  readonly code: Code
}

/**
 * Masks the secrets in a text with the profile `precise`. Needs no runtime. Clean text comes back
 * as it is.
 */
export declare function scrub(text: string): string
export declare function scrub(text: Uint8Array): Uint8Array

/** What a command of a shell does, and whether it may. */
export interface CommandCheck
  extends Omit<ShellCheck, 'for_llm' | 'for_user' | 'without_approver'> {
  /** What a model is told: what was decided, why, and what to do instead. */
  forLlm: string
  /** What a person is shown. */
  forUser: string
  /** What becomes of it where it is asked about, and nobody can be asked. */
  withoutApprover: ShellCheck['without_approver']
}

/** How a command is judged without a runtime: as `shell` in the configuration says. */
export interface CheckOptions extends ShellSettings {
  /** Where it would run. Default: in the virtual workspace `/workspace`. */
  env?: ShellEnv
  /**
   * Where given, `security`, `ask` and `allowlist` alone decide, for a host that has a judge of its
   * own.
   */
  modes?: ShellModes
}

/** How a command is judged for a caller. */
export interface CallerCheckOptions extends CallOptions {
  /** Another profile than the configuration's. */
  profile?: 'strict' | 'workspace'
  /** The folder that it starts in: absolute, or from the workspace. */
  cwd?: string
  /** What it is given on standard input, where that is known. */
  stdin?: string
  /** Settings instead of those of the configuration. */
  settings?: ShellSettings
}

/**
 * What a command of a shell does, and whether it may run. Runs nothing, and needs no runtime.
 *
 * @throws {ToolkeepError} `invalid_argument` that names the option, and what is allowed there.
 */
export declare function checkCommand(command: string, options?: CheckOptions): CommandCheck

/** A secret in a text: where it is and what it is, never the secret itself. */
export interface Finding {
  /** What it is: `github-pat`, `password`, or the kind of a registered value. */
  kind: string
  /** Where it begins: an index into the string. */
  start: number
  /** Where it ends: `text.slice(start, end)` is the secret. */
  end: number
  /** How sure the scrubber is. */
  confidence: 'low' | 'medium' | 'high'
  /** True if a checksum in it is right. */
  verified: boolean
  /** The form of a registered value: `base64`, `hex`, …; null for the value itself and for what was not registered. */
  encoding: string | null
  /** The tag of its placeholder: the same secret has the same one. Null for what could be guessed. */
  tag: string | null
}

/** How a scrubber is made. */
export interface ScrubberOptions {
  /**
   * What is a secret: `precise` (the default) finds them by shape and context and replaces the
   * secret alone, `seed` applies the seed patterns exactly, `paranoid` takes what either finds.
   */
  profile?: 'precise' | 'seed' | 'paranoid'
  /** Values to mask wherever they stand, in many encodings. */
  values?: (string | { value: string; kind?: string })[]
  /** The key of the tags: 64 hexadecimal digits. Default: a fresh random one. */
  key?: string
}

/** Masks secrets in text, with a profile and values of its own. */
export declare class Scrubber {
  /** @throws {ToolkeepError} `invalid_argument` that names the option. */
  constructor(options?: ScrubberOptions)
  /** The text with every secret in it masked; the same one if there was none. Bytes that are not UTF-8 pass as they are. */
  scrub(text: string): string
  scrub(text: Uint8Array): Uint8Array
  /** What is secret in a text, in order. */
  findings(text: string): Finding[]
  /**
   * Registers a value, which is masked from now on wherever it stands. `kind` is what its
   * placeholders call it. The answer is null, or the code of a warning where the value is too
   * short to be guarded in full: `value_too_short`, `value_short`.
   */
  add(value: string, kind?: string | null): string | null
  /** Forgets a registered value; false if it is not registered. */
  remove(value: string): boolean
  /** Begins a text that comes in pieces. */
  stream(): ScrubStream
}

/**
 * A text that is masked as it comes. However it is cut, the pieces that come out make the same
 * text as `scrub` of the whole. At most 8 KiB are held back.
 */
export interface ScrubStream {
  /** Takes the next piece, which may end anywhere, and gives what is certain by now. All pieces are strings, or all are bytes. */
  push(piece: string): string
  push(piece: Uint8Array): Uint8Array
  /** Ends the text and gives the rest, in the form of the pieces. The stream takes nothing more. */
  finish(): string | Uint8Array
}

/** A fresh random key for somebody to keep, as 64 hexadecimal digits. Losing it loses the secrets. */
export declare function generateKey(): string

/** The version of this package. */
export declare const version: string
