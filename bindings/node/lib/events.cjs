'use strict'
// Following events: what `rt.events.follow()` gives.

const { checkedSignal } = require('./caller.cjs')
const { aborted, invalid, translated } = require('./errors.cjs')
const { isPlain, textOf } = require('./json.cjs')
const { whenAborted } = require('./signal.cjs')

class EventStream {
  #begin
  #beginning
  #native
  #signal
  #after
  #closed = false

  /** `begin` gives the native stream for options as JSON text, once the runtime is open. */
  constructor(options, begin) {
    const given = options ?? {}
    if (typeof given !== 'object' || !isPlain(given))
      throw invalid('what to follow must be a plain object')
    const { signal, ...rest } = given
    if (signal !== undefined && signal !== null) this.#signal = checkedSignal(signal)
    this.#after = typeof rest.after === 'number' ? rest.after : 0
    const text = textOf(rest, 'options')
    this.#begin = () => begin(text)
  }

  get cursor() {
    return this.#native?.cursor ?? this.#after
  }

  get dropped() {
    return this.#native?.dropped ?? 0
  }

  async next() {
    const signal = this.#signal
    let ended
    try {
      if (!signal?.aborted) {
        if (signal !== undefined) ended = whenAborted(signal, () => this.close())
        const value = await this.#taken()
        if (value !== undefined) return { done: false, value }
      }
    } catch (error) {
      throw translated(error)
    } finally {
      ended?.()
    }
    this.close()
    if (signal?.aborted) throw aborted('following the events was cancelled', signal)
    return { done: true, value: undefined }
  }

  close() {
    this.#closed = true
    this.#native?.close()
  }

  async return(value) {
    this.close()
    return { done: true, value }
  }

  [Symbol.asyncIterator]() {
    return this
  }

  async [Symbol.asyncDispose]() {
    this.close()
  }

  /** The next event; undefined at the end. */
  async #taken() {
    if (this.#closed) return undefined
    const native = this.#native ?? (await this.#begun())
    while (!this.#closed) {
      const text = native.pop()
      if (text !== null) return JSON.parse(text)
      if (!(await native.wait())) return undefined
    }
    return undefined
  }

  /** The native stream. Where beginning failed, the next call tries again. */
  async #begun() {
    this.#beginning ??= this.#begin()
    try {
      return (this.#native = await this.#beginning)
    } finally {
      this.#beginning = undefined
    }
  }
}

module.exports = { EventStream }
