'use strict'
// The one implementation behind index.mjs and index.cjs. See index.d.ts for what it promises.

const { AsyncResource } = require('node:async_hooks')
const { fileURLToPath } = require('node:url')

const native = require('./native.cjs')
const { operations } = require('./operations.cjs')
const { readOptions } = require('./lib/caller.cjs')
const { ToolkeepError, ToolError, aborted, translated } = require('./lib/errors.cjs')
const { EventStream } = require('./lib/events.cjs')
const { closeAtExit } = require('./lib/exit.cjs')
const { handlerOf } = require('./lib/handlers.cjs')
const { argumentsOf, callArguments, callRequests, stringOf, textOf } = require('./lib/json.cjs')
const { runtimeOptionsOf } = require('./lib/options.cjs')
const { explanationOf, resultOf } = require('./lib/result.cjs')
const { Scrubber, scrub } = require('./lib/scrubber.cjs')
const { checkCommand, checkOf } = require('./lib/shell.cjs')
const { whenAborted } = require('./lib/signal.cjs')
const { dispatcher, replaces, specOf } = require('./lib/tools.cjs')

/** How `Runtime.open` tells the constructor that it has a path. */
class ConfigFile {
  constructor(path) {
    this.path = path
  }
}

class Runtime {
  #state
  #opening
  #isOpen = false
  #openErrorSeen = false
  #closing
  #lastCall = 0
  #lastTool = 0
  #staysOpen = () => {}

  constructor(config = {}, options) {
    const state = { native: undefined, tools: new Map(), runs: new Map(), scopes: new Map() }
    state.native = new native.NativeRuntime(dispatcher(new WeakRef(state)))
    this.#state = state
    this.#opening = this.#open(config, options)
    this.#opening.catch(() => {})
    Object.assign(
      this,
      operations((operation, args) => this.invoke(operation, args)),
    )
    const follow = (options) => new EventStream(options, (text) => this.#follow(text))
    this.events = Object.freeze({ ...this.events, follow })
  }

  static async open(path, options) {
    return new Runtime(new ConfigFile(path), options).ready()
  }

  async ready() {
    await this.#opened()
    return this
  }

  get closed() {
    return this.#closing !== undefined
  }

  async call(name, args, options) {
    const { caller, signal } = readOptions(options)
    const { text, form } = callArguments(args)
    stringOf(name, 'name')
    const core = await this.#cancellable(signal, (number) =>
      this.#state.native.call(name, text, form, caller, number),
    )
    return resultOf(core)
  }

  async callAll(requests, options) {
    const { caller, signal } = readOptions(options)
    const { text, unread } = callRequests(requests)
    const answers = await this.#cancellable(signal, (number) =>
      this.#state.native.callAll(text, unread, caller, number),
    )
    if (signal?.aborted && answers.some((answer) => answer.result.code === 'cancelled')) {
      throw aborted('the calls were cancelled by their caller', signal)
    }
    return answers.map(({ id, result }) => ({ id, result: resultOf(result) }))
  }

  definitions(dialect, options) {
    return this.#definitions(dialect, options, false)
  }

  definitionsReport(dialect, options) {
    return this.#definitions(dialect, options, true)
  }

  async explain(tool, options) {
    const { caller, signal } = readOptions(options)
    stringOf(tool, 'tool')
    const core = await this.#answer(signal, () => this.#state.native.explain(tool, caller))
    return explanationOf(core)
  }

  async checkCommand(command, options) {
    const { profile, cwd, stdin, settings, ...caller } = options ?? {}
    const { caller: context, signal } = readOptions(caller)
    const given = { command: stringOf(command, 'command'), profile, cwd, stdin, settings }
    const text = argumentsOf({ ...given, context: context && JSON.parse(context) }, 'args')
    const core = await this.#answer(signal, () => this.#state.native.invoke('shell.check', text))
    return checkOf(core)
  }

  async invoke(operation, args = {}) {
    const text = argumentsOf(args, 'args')
    stringOf(operation, 'operation')
    return this.#answer(undefined, () => this.#state.native.invoke(operation, text))
  }

  tool(definition, options) {
    const added = this.#add(definition, options ?? undefined)
    // Where opening fails, the first awaited method says so; this promise need not say it again.
    this.#opening.catch(() => added.catch(() => {}))
    return added
  }

  async setHandler(name, handler) {
    const wrapped = handlerOf(stringOf(name, 'name'), handler)
    await this.#opened()
    this.#setHandler(name, wrapped)
  }

  async unregister(name) {
    stringOf(name, 'name')
    await this.#opened()
    this.#translating(() => this.#state.native.unregister(name))
  }

  close() {
    return (this.#closing ??= this.#close())
  }

  [Symbol.asyncDispose]() {
    return this.close()
  }

  async #open(config, options) {
    const isPath = config instanceof ConfigFile
    let text
    if (!isPath) text = textOf(config, 'config', 'invalid_config')
    else
      text = stringOf(config.path instanceof URL ? fileURLToPath(config.path) : config.path, 'path')
    const { approve, key } = await runtimeOptionsOf(options)
    try {
      await this.#state.native.open(text, isPath, key)
    } catch (error) {
      throw translated(error)
    }
    if (approve !== undefined) this.#setHandler('approve', approve)
    this.#staysOpen = closeAtExit(this.#state.native)
    this.#isOpen = true
  }

  async #opened() {
    if (this.#isOpen) return
    try {
      await this.#opening
    } catch (error) {
      this.#openErrorSeen = true
      throw error
    }
  }

  async #close() {
    try {
      await this.#opening
    } catch (error) {
      if (this.#openErrorSeen) return
      throw error
    }
    try {
      await this.#state.native.close()
    } catch (error) {
      throw translated(error)
    }
    this.#staysOpen()
  }

  async #add(definition, options) {
    const spec = specOf(definition)
    const replace = replaces(options)
    const run = definition.run.bind(definition)
    // Not `#opened`: this promise is often not awaited, and so tells nobody of a failed opening.
    if (!this.#isOpen) await this.#opening
    const number = ++this.#lastTool
    this.#state.tools.set(number, run)
    try {
      this.#translating(() => this.#state.native.register(spec, number, replace))
    } catch (error) {
      this.#state.tools.delete(number)
      throw error
    }
  }

  async #definitions(dialect, options, whole) {
    const { strict } = options ?? {}
    const { caller, signal } = readOptions(options, 'strict')
    const form = textOf({ dialect: stringOf(dialect, 'dialect'), strict }, 'options')
    return this.#answer(signal, () => this.#state.native.definitions(form, caller, whole))
  }

  #setHandler(name, handler) {
    const { native, tools } = this.#state
    if (handler === undefined) return this.#translating(() => native.setHandler(name, null))
    const number = ++this.#lastTool
    tools.set(number, handler)
    try {
      this.#translating(() => native.setHandler(name, number))
    } catch (error) {
      tools.delete(number)
      throw error
    }
  }

  async #follow(options) {
    await this.#opened()
    return this.#state.native.follow(options)
  }

  /** Runs work of the native half that a signal may cancel and that may run tools of the host. */
  async #cancellable(signal, work) {
    const { native, scopes, tools } = this.#state
    let number = 0
    let ended
    try {
      return await this.#answer(signal, () => {
        if (signal !== undefined || tools.size > 0) {
          number = this.#nextCall()
          scopes.set(number, new AsyncResource('toolkeep.call', MANUAL))
        }
        if (signal !== undefined) ended = whenAborted(signal, () => native.cancel(number))
        return work(number)
      })
    } finally {
      scopes.get(number)?.emitDestroy()
      scopes.delete(number)
      ended?.()
    }
  }

  async #answer(signal, work) {
    if (signal?.aborted) throw aborted('the call was cancelled before it began', signal)
    if (!this.#isOpen) await this.#opened()
    if (signal?.aborted) throw aborted('the call was cancelled before it began', signal)
    try {
      return JSON.parse(await work())
    } catch (error) {
      throw translated(error, signal)
    }
  }

  #translating(work) {
    try {
      return work()
    } catch (error) {
      throw translated(error)
    }
  }

  /** Numbers run up to 2^32 and begin anew; 0 means none. */
  #nextCall() {
    this.#lastCall = (this.#lastCall + 1) >>> 0 || 1
    return this.#lastCall
  }
}

// Each is ended where its call ends; without this it would wait for the garbage collector, too.
const MANUAL = { requireManualDestroy: true }

function generateKey() {
  try {
    return native.generateKey()
  } catch (error) {
    throw translated(error)
  }
}

module.exports = {
  Runtime,
  ToolError,
  Scrubber,
  ToolkeepError,
  checkCommand,
  generateKey,
  scrub,
  version: native.version(),
}
