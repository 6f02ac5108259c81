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

  /**
   * Sets a handler: a function that toolkeep asks. It takes the place of the one before; null takes it
   * away. `approve` is as in {@link RuntimeOptions}. Rejects with `invalid_argument` for another name,
   * and with `closed`.
   */
  setHandler(name: 'approve', handler: ApproveHandler | null): Promise<void>

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
  approve?: ApproveHandler | null
}

/** Decides a call that wants approval. */
export type ApproveHandler = (
  request: ApprovalRequest,
  context: ToolContext,
) => ApprovalDecision | PromiseLike<ApprovalDecision>

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
