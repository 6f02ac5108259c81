// What goes into a call and comes out of it, and the tools of the host.

import type { Caller } from './caller'
import type { Action, Capability, Code, PolicyRule, ShellPlan, Taint, Touch } from './operations'

export type { Caller } from './caller'

/** What JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Who calls, and how the call is aborted. */
export interface CallOptions extends Caller {
  /** Aborts the call: it rejects with `AbortError`, code `cancelled`, and `cause` is the reason. */
  signal?: AbortSignal | null
}

/** A file to hand to the user along with a result. */
export interface Media {
  /** Its place: a path in the workspace, or a URL. */
  path: string
  /** The name to show. */
  filename?: string
  /** The MIME type. */
  mime?: string
  /** A caption. */
  caption?: string
}

/** A repair of an argument, so that it fits the tool's schema. */
export interface Repair {
  /** The argument: `a.b[0]`. Empty: the arguments as a whole. */
  path: string
  /**
   * What was done: `parsed`, `renamed`, `dropped_alias`, `coerced`, `wrapped`, `dropped_null`,
   * `defaulted`.
   */
  kind: string
  /** The type that it had (`string`), or the name under which it was given. */
  from?: string
  /** The type that it has now, or its own name. */
  to?: string
}

/** The answer to a call. A refusal is an answer, too, with `isError` and a `code`. */
export interface ToolResult<Structured = unknown> {
  /** The text for the model: scrubbed, and capped. */
  forLlm: string
  /** The text for the user, if it differs. */
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
