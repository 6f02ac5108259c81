// The types of toolkeep for Node: the runtime, scrubbing, checking commands. What goes through a call is
// in calls.d.ts; the operations' types are generated: see operations.d.ts.

import type { URL } from 'node:url'

import type {
  CallAnswer,
  CallOptions,
  CallRequest,
  DefinitionOptions,
  Definitions,
  Dialect,
  Explanation,
  ToolContext,
  ToolDefinition,
  ToolResult,
} from './calls'
import type {
  Code,
  Config,
  Event,
  Operations,
  ShellCheck,
  ShellEnv,
  ShellModes,
  ShellProposal,
  ShellSettings,
} from './operations'

export type * from './calls'
export type * from './operations'

/** Which events to follow, and from which one on. */
export interface FollowOptions {
  /** The tenant whose events to follow. Default: `default`. */
  tenant?: string
  /**
   * Go on after the event of this `seq`. Default: 0, from the beginning. To get new events only, use
   * the result of `rt.events.last()`.
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
 * The existing events of a tenant, and then new ones, in order:
 * `for await (const event of rt.events.follow({ after }))`.
 *
 * Events are delivered at least once to a reader that begins again after the last one it is done
 * with. It ends when it is closed, when the loop is left, or when the runtime is closed. An error of
 * the store rejects; `next()` then goes on at the same place. A wait for an event keeps the process
 * alive, as any call does; a stream without a wait does not.
 */
export interface EventStream extends AsyncIterableIterator<Event>, AsyncDisposable {
  /**
   * The `seq` of the last event that was delivered, or skipped because the options leave it out: give
   * it as `after` to go on from here.
   */
  readonly cursor: number

  /**
   * How many events of the tenant were pruned before this reader reached them, including those that
   * the options leave out. It grows when the next remaining event is reached.
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
   * Follows the events of a tenant. A bad option, a closed runtime, and an `after` of another store
   * make the first `next()` reject.
   */
  follow(options?: FollowOptions | null): EventStream
}

/** The governed tool layer of one agent program. */
export interface Runtime extends Operations, AsyncDisposable {
  /** The events, in order, readable from any one on. */
  readonly events: Events

  /** Waits until the runtime is open, and returns it. Rejects if it could not be opened. */
  ready(): Promise<this>

  /** True once {@link close} was called. */
  readonly closed: boolean

  /**
   * Makes one call, through all gates: policy, arguments, limits, the tool itself, scrubbing, record.
   * A mistake of the model is a result with `isError`.
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
   * Makes the calls of one model turn: independent ones side by side, the rest in order. Every
   * request is answered, in order, even if another one fails.
   */
  callAll(requests: readonly CallRequest[], options?: CallOptions | null): Promise<CallAnswer[]>

  /** The definitions of the tools that this caller may call, for a provider's API. */
  definitions<Definition = any>(
    dialect: Dialect,
    options?: DefinitionOptions | null,
  ): Promise<Definition[]>

  /** The definitions, and the tools that are left out: quarantined, or deferred. */
  definitionsReport<Definition = any>(
    dialect: Dialect,
    options?: DefinitionOptions | null,
  ): Promise<Definitions<Definition>>

  /** Whether the caller may call the tool, and which rule decides. Rejects with `not_found`. */
  explain(tool: string, options?: CallOptions | null): Promise<Explanation>

  /**
   * Judges a shell command as in a call of this caller, with his folders and the links in them. Runs
   * nothing.
   */
  checkCommand(command: string, options?: CallerCheckOptions | null): Promise<CommandCheck>

  /** Runs one operation by name, as `rt.agents.put({…})` and the like do. */
  invoke<Result = unknown>(operation: string, args?: object): Promise<Result>

  /**
   * Adds a tool of the host's, for every call that is made afterwards. Rejects with `name_taken`
   * or `invalid_argument`.
   *
   * @param options With `replace` it may replace another tool of its name, whose aliases it takes
   *   over, or an alias.
   */
  tool<Args = Record<string, any>>(
    definition: ToolDefinition<Args>,
    options?: { replace?: boolean } | null,
  ): Promise<void>

  /**
   * Sets a handler: a function that toolkeep asks. It takes the place of the one before; null takes it
   * away. `approve` is as in {@link RuntimeOptions}. Rejects with `invalid_argument` for another name,
   * and with `closed`.
   */
  setHandler(name: 'approve', handler: ApproveHandler | null): Promise<void>

  /** Removes a tool with its aliases. Calls that are running go on. Rejects with `not_found`. */
  unregister(name: string): Promise<void>

  /**
   * Closes the runtime: running calls are cancelled, queued rows are written, the store is closed.
   * Later calls reject with `closed`. Closing again does nothing.
   */
  close(): Promise<void>
}

/** A request for an approval. */
export interface ApprovalRequest {
  /** The approval's id: the same as in the store and in the events. */
  readonly id: string
  /** The tool. */
  readonly tool: string
  /** The tool's description for the model. */
  readonly description: string
  /** The real arguments, unmasked, with secrets. */
  readonly arguments: Record<string, any>
  /** The reasons for asking: a rule, and a sentence for the person who decides. */
  readonly reasons: readonly { readonly rule: string; readonly why: string }[]
  /** What the call amounts to, if the tool says so. */
  readonly plan: unknown
  /** Rules that may be kept, so that such calls do not ask again, the narrowest first. */
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

/** A decision on an approval. */
export interface ApprovalAnswer {
  /** True to allow the call once, false to deny it. */
  allow: boolean
  /** Who decides. Default: `host`. */
  by?: string
  /** The reason. If the call is denied, the model gets it. */
  reason?: string | null
  /** Other arguments to make the call with, all of them; only with `allow`. */
  edited?: Record<string, unknown> | null
  /** Which of the proposals to keep as a rule, from 0; only with `allow` and without `edited`. */
  always?: number | null
}

/** Functions of the host, which no configuration can hold. */
export interface RuntimeOptions {
  /**
   * Returns the key that seals secrets, such as one from a keychain: 64 hexadecimal digits, or 44
   * characters of base64. Called once, before the runtime opens. It replaces `secrets.key` in the
   * configuration. An exception becomes the `cause` of an `invalid_config`.
   */
  key?: (() => string | PromiseLike<string>) | null
  /**
   * Decides on a call that needs approval: `true`, `false`, an {@link ApprovalAnswer}, or nothing to
   * leave it to others. The first decision counts, even one from elsewhere. `signal`
   * fires when nobody waits for this one any more. Throwing, or returning anything else, denies the
   * call; the approval's `reason` says why, and the model does not learn it.
   */
  approve?: ApproveHandler | null
}

/** Decides a call that wants approval. */
export type ApproveHandler = (
  request: ApprovalRequest,
  context: ToolContext,
) => ApprovalDecision | PromiseLike<ApprovalDecision>

/** The answers of an `approve` handler. */
export type ApprovalDecision = boolean | ApprovalAnswer | null | undefined | void

export declare const Runtime: {
  /**
   * Starts to open a runtime. Every method waits until it is open. If opening fails, the first method
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
 * A mistake of the host, a store that does not answer, or the caller's own cancellation (then
 * `name` is `AbortError`). A mistake of a model is a {@link ToolResult} instead.
 */
export declare class ToolkeepError extends Error {
  /** The stable code. */
  readonly code: Code
}

/** Thrown by a tool, to choose the code for the model. */
export declare class ToolError extends Error {
  /**
   * The code must be one of those for mistakes of a model; any other becomes `tool_failed`, the
   * default. An unknown code throws a {@link ToolkeepError} `invalid_argument`.
   */
  constructor(message: string, options?: { code?: Code; cause?: unknown })
  readonly code: Code
}

/**
 * Masks the secrets in a text with the profile `precise`. Needs no runtime. Clean text is returned
 * unchanged.
 */
export declare function scrub(text: string): string
export declare function scrub(text: Uint8Array): Uint8Array

/** What a shell command does, and whether it may run. */
export interface CommandCheck
  extends Omit<ShellCheck, 'for_llm' | 'for_user' | 'without_approver'> {
  /** The text for the model: the decision, the reason, and what to do instead. */
  forLlm: string
  /** The text for a person. */
  forUser: string
  /** What happens to it if it needs approval, and nobody can be asked. */
  withoutApprover: ShellCheck['without_approver']
}

/** How a command is judged without a runtime: as `shell` in the configuration says. */
export interface CheckOptions extends ShellSettings {
  /** Where it would run. Default: in the virtual workspace `/workspace`. */
  env?: ShellEnv
  /**
   * If given, `security`, `ask` and `allowlist` alone decide, for a host with a judge of its own.
   */
  modes?: ShellModes
}

/** How a command is judged for a caller. */
export interface CallerCheckOptions extends CallOptions {
  /** A profile instead of the configuration's. */
  profile?: 'strict' | 'workspace'
  /** The folder that it starts in: absolute, or relative to the workspace. */
  cwd?: string
  /** The text on its standard input, if that is known. */
  stdin?: string
  /** Settings instead of those of the configuration. */
  settings?: ShellSettings
}

/**
 * What a shell command does, and whether it may run. Runs nothing, and needs no runtime.
 *
 * @throws {ToolkeepError} `invalid_argument` that names the option, and what is allowed there.
 */
export declare function checkCommand(command: string, options?: CheckOptions): CommandCheck

/** A secret found in a text: its place and kind, never the secret itself. */
export interface Finding {
  /** Its kind: `github-pat`, `password`, or the kind of a registered value. */
  kind: string
  /** Where it begins: an index into the string. */
  start: number
  /** Where it ends: `text.slice(start, end)` is the secret. */
  end: number
  /** How sure the scrubber is. */
  confidence: 'low' | 'medium' | 'high'
  /** True if a checksum in it is right. */
  verified: boolean
  /** The encoding of a registered value: `base64`, `hex`, …; null for the value itself and for secrets that were not registered. */
  encoding: string | null
  /** The tag of its placeholder: the same secret has the same one. Null for a secret that could be guessed. */
  tag: string | null
}

/** How a scrubber is made. */
export interface ScrubberOptions {
  /**
   * Which secrets are masked: `precise` (the default) finds them by shape and context and replaces
   * the secret alone, `seed` applies the seed patterns exactly, `paranoid` masks what either finds.
   */
  profile?: 'precise' | 'seed' | 'paranoid'
  /** Values that are always masked, in many encodings. */
  values?: (string | { value: string; kind?: string })[]
  /** The key of the tags: 64 hexadecimal digits. Default: a new random one. */
  key?: string
}

/** Masks secrets in text, with a profile and values of its own. */
export declare class Scrubber {
  /** @throws {ToolkeepError} `invalid_argument` that names the option. */
  constructor(options?: ScrubberOptions)
  /** The text with every secret in it masked; the same one if there was none. Bytes that are not UTF-8 pass unchanged. */
  scrub(text: string): string
  scrub(text: Uint8Array): Uint8Array
  /** The secrets found in a text, in order. */
  findings(text: string): Finding[]
  /**
   * Registers a value: from now on it is always masked. `kind` is its kind in placeholders. Returns
   * null, or the code of a warning if the value is too short to be masked in every encoding:
   * `value_too_short`, `value_short`.
   */
  add(value: string, kind?: string | null): string | null
  /** Forgets a registered value; false if it is not registered. */
  remove(value: string): boolean
  /** Begins a text that arrives in pieces. */
  stream(): ScrubStream
}

/**
 * Masks a text that arrives in pieces. The output pieces together are the same text as `scrub` of
 * the whole, wherever it is cut. At most 8 KiB are held back.
 */
export interface ScrubStream {
  /** Takes the next piece, which may end anywhere, and returns the part that is certain by now. All pieces are strings, or all are bytes. */
  push(piece: string): string
  push(piece: Uint8Array): Uint8Array
  /** Ends the text and returns the rest, as the type of the pieces. The stream accepts no more pieces. */
  finish(): string | Uint8Array
}

/** A new random key for the host to keep, as 64 hexadecimal digits. Losing it loses the secrets. */
export declare function generateKey(): string

/** The version of this package. */
export declare const version: string
