'use strict'
// The tools that are written in JavaScript: how they are described, run and cancelled.

const { callerOf } = require('./caller.cjs')
const { aborted, invalid } = require('./errors.cjs')
const { flawIn, inheritedKey, isCyclic, textOf } = require('./json.cjs')
const { returned } = require('./result.cjs')

/** Core's name of each field of a specification, by ours. Core refuses any other. */
const SPEC = {
  name: 'name',
  description: 'description',
  parameters: 'parameters',
  group: 'group',
  capabilities: 'capabilities',
  timeoutMs: 'timeout_ms',
  touches: 'touches',
  channels: 'channels',
  argumentAliases: 'argument_aliases',
  polling: 'polling',
  needsApproval: 'needs_approval',
  taints: 'taints',
  action: 'action',
  originalName: 'original_name',
  shellCommand: 'shell_command',
  shellCwd: 'shell_cwd',
  shellStdin: 'shell_stdin',
}

const NAMES = Object.keys(SPEC)

/** The JSON text of a tool's specification. */
function specOf(definition) {
  if (typeof definition !== 'object' || definition === null)
    throw invalid('a tool must be an object')
  if (typeof definition.run !== 'function') throw invalid('`run` of a tool must be a function')
  const unseen = inheritedKey(definition, NAMES)
  if (unseen !== undefined)
    throw invalid(`\`tool.${unseen}\` is not the object's own but its prototype's; make it its own`)
  const spec = {}
  for (const key of Object.keys(definition)) {
    if (key === 'run' || definition[key] === undefined) continue
    spec[Object.hasOwn(SPEC, key) ? SPEC[key] : key] = definition[key]
  }
  return textOf(spec, 'tool')
}

/** Whether a tool may take the place of another, as the options of its registration say. */
function replaces(options = {}) {
  if (typeof options !== 'object') throw invalid('the options of a tool must be an object')
  for (const key of Object.keys(options))
    if (key !== 'replace') throw invalid(`a tool has no option \`${key}\`; there is \`replace\``)
  const { replace = false } = options
  if (typeof replace !== 'boolean') throw invalid('`replace` must be true or false')
  return replace
}

/** Who called a tool, and the signal that fires when nobody waits for it any more. */
class ToolContext {
  #controller
  #cancelled = false
  #plan

  constructor(caller, plan) {
    callerOf(caller, this)
    this.#plan = plan
  }

  /** How the command of the call is to be run, if it brings one along. */
  get plan() {
    return typeof this.#plan === 'string' ? JSON.parse(this.#plan) : null
  }

  get signal() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#cancelled) this.#abort()
    }
    return this.#controller.signal
  }

  static cancel(context) {
    context.#cancelled = true
    if (context.#controller !== undefined) context.#abort()
  }

  #abort() {
    this.#controller.abort(aborted('the call was cancelled, or its time was up'))
  }
}

/**
 * What the native half calls. It never throws, since nothing could catch that. It knows the
 * runtime weakly: a runtime that its program has lost can be collected, with its tools.
 */
function dispatcher(runtime) {
  return function dispatch(kind, run, tool, call, args, caller, plan) {
    const state = runtime.deref()
    if (state === undefined) return
    if (kind === 2) state.tools.delete(tool)
    else if (kind === 1) cancel(state, run)
    else {
      const scope = state.scopes.get(call)
      if (scope === undefined) start(state, run, tool, args, caller, plan)
      else scope.runInAsyncScope(start, undefined, state, run, tool, args, caller, plan)
    }
  }
}

function cancel(state, run) {
  const context = state.runs.get(run)
  if (context === undefined) return
  state.runs.delete(run)
  ToolContext.cancel(context)
}

async function start(state, run, tool, args, caller, plan) {
  const context = new ToolContext(JSON.parse(caller), plan)
  state.runs.set(run, context)
  let answer
  try {
    answer = answerOf(await state.tools.get(tool)(JSON.parse(args), context))
  } catch (error) {
    answer = thrown(error)
  }
  state.runs.delete(run)
  state.native.answer(run, answer.code, answer.text)
}

/** What a tool returned, as `{ text }` for core, or the refusal of what is not JSON. */
function answerOf(value) {
  const result = returned(value)
  const flaw = flawIn(result, 1, true)
  if (flaw === null) return { text: JSON.stringify(result) ?? 'null' }
  const what =
    flaw.kind === 'deep' && isCyclic(result, flaw.path)
      ? 'an object that refers to itself'
      : flaw.what
  const where =
    flaw.kind === 'deep' || flaw.path.length === 0 ? '' : ` in \`${flaw.path.join('.')}\``
  const advice = 'return strings, finite numbers, booleans, null, arrays or plain objects of these'
  const text = `The tool returned ${what}${where}, which is not JSON; ${advice}.`
  return { code: 'invalid_result', text: text.toWellFormed() }
}

/** What a tool threw: its message, and the code if it chose one. Anything can be thrown. */
function thrown(error) {
  try {
    const isError = error instanceof Error || typeof error?.message === 'string'
    const text = isError ? error.message || error.constructor?.name || error.name : shown(error)
    const code =
      error?.name === 'ToolError' && typeof error.code === 'string' ? error.code : 'tool_failed'
    return { code, text: String(text).toWellFormed() }
  } catch {
    return { code: 'tool_failed', text: 'The tool threw something that has no text.' }
  }
}

/** What was thrown and is no error, as text. */
function shown(value) {
  const text = String(value)
  if (!/^\[object .*\]$/.test(text)) return text
  const json = flawIn(value, 1, true) === null ? JSON.stringify(value) : undefined
  return json === undefined
    ? 'The tool threw a value that is no Error.'
    : `The tool threw a value that is no Error: ${json}`
}

module.exports = { dispatcher, replaces, specOf }
