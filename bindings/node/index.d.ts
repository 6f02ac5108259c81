// The types of toolkeep for Node. The operations' types are generated: see operations.d.ts.

import type { URL } from 'node:url'

import type * as generated from './operations'
import type { Capability, Code, Event, Operations } from './operations'

export type * from './operations'

/** What JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Every part optional, at every depth but that of lists. */
type Partly<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: Partly<T[K]> }
    : T

/**
 * How a runtime is set up: the same keys as in a configuration file, in `snake_case`. Every key may
 * be left out; an unknown one is an error (`invalid_config`) that names the nearest.
 */
export type Config = Partly<generated.Config>

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
  /** The chat within the channel. */
  chat?: string | null
  /** `direct` or `group`. */
  peerKind?: string | null
  /** The conversation. Rate limits count and artifacts are kept per session. */
  session?: string | null
  /** The model's provider: `anthropic`, `openai`, … */
  provider?: string | null
  /** The model. */
  model?: string | null
  /** A workspace folder for this caller instead of the runtime's. */
  workspace?: string | null
  /** The team that the agent belongs to. */
  team?: string | null
  /** The run that this call is part of. */
  run?: string | null
  /** How many agents stand above this one. Default: 0, the first. */
  depth?: number | null
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
  /** The id of the call: the same as in its audit row and events. */
  callId: string
  /** How long the tool ran, in microseconds. 0 if it did not. */
  durationUs: number
  /** True if this is the result of an earlier call of the run: the tool did not run again. */
  cached: boolean
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

/** Why a tool may or may not be called. */
export interface Explanation {
  /** The tool, by its own name. */
  tool: string
  /** Whether the caller may call it. */
  allowed: boolean
  /** The code that a call would be refused with. */
  code: Code | null
  /** The rule that would refuse it: its place in the lists, and the same as a sentence. */
  rule: { name: string; text: string } | null
  /** What each list did, in order: whether the tool was allowed before it, and after it. */
  steps: Array<{ source: string; before: boolean; after: boolean }>
}

/** A provider's way to write a tool definition. */
export type Dialect = 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'mcp'

/** Who called a tool, with all fields, and the signal of the call. */
export type ToolContext = {
  readonly [K in keyof Caller]-?: K extends 'tenant'
    ? string
    : K extends 'depth'
      ? number
      : Caller[K] & ({} | null)
} & {
  /** Fires when the call is cancelled, when its time is up, or when the runtime is closed. */
  readonly signal: AbortSignal
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
  capabilities?: Capability[]
  /** Its deadline in milliseconds, instead of the runtime's. */
  timeoutMs?: number
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
    options?: CallOptions | null,
  ): Promise<Definition[]>

  /** Whether the caller may call the tool, and which rule says so. Rejects with `not_found`. */
  explain(tool: string, options?: CallOptions | null): Promise<Explanation>

  /** Runs one operation by name: what `rt.agents.put({…})` and the like do. */
  invoke<Result = unknown>(operation: string, args?: object): Promise<Result>

  /**
   * Adds a tool of the host's, for every call that is made afterwards. Rejects with `name_taken`
   * or `invalid_argument`.
   */
  tool<Args = Record<string, any>>(definition: ToolDefinition<Args>): Promise<void>

  /** Removes a tool with its aliases. Calls that are running go on. Rejects with `not_found`. */
  unregister(name: string): Promise<void>

  /**
   * Ends the runtime: calls that are running are cancelled, what is queued is written, the store is
   * closed. Later calls reject with `closed`. Closing again does nothing.
   */
  close(): Promise<void>
}

/** What a host gives a runtime that no configuration can hold. */
export interface RuntimeOptions {
  /**
   * Gives the key that secrets are sealed under, from a keychain, say: 64 hexadecimal digits, or 44
   * characters of base64. Called once, before the runtime opens. Instead of `secrets.key` in the
   * configuration. What it throws becomes the `cause` of an `invalid_config`.
   */
  key?: (() => string | PromiseLike<string>) | null
}

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
  /** The code is one of those that a model can cause; any other becomes `tool_failed`, the default. */
  constructor(message: string, options?: { code?: Code; cause?: unknown })
  readonly code: Code
}

/** Masks the secrets in a text, as the results of calls are masked. Needs no runtime. */
export declare function scrub(text: string): string

/** A fresh random key for somebody to keep, as 64 hexadecimal digits. Losing it loses the secrets. */
export declare function generateKey(): string

/** The version of this package. */
export declare const version: string
