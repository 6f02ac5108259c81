'use strict'
// Masking secrets without a runtime: a function, and scrubbers of a host's own.

const { StringDecoder } = require('node:string_decoder')

const native = require('../native.cjs')
const { invalid, translated } = require('./errors.cjs')
const { stringOf, textOf } = require('./json.cjs')
const { didYouMean } = require('./nearest.cjs')

const OPTIONS = ['profile', 'values', 'key']

/** Masks with `text` or `bytes`, whichever fits. They answer null for what is clean. */
function masked(given, text, bytes) {
  if (given instanceof Uint8Array) return bytes(given) ?? given
  return text(stringOf(given, 'text')) ?? given
}

function scrub(text) {
  return masked(text, native.scrub, native.scrubBytes)
}

class Scrubber {
  #native

  constructor(options = {}) {
    if (typeof options !== 'object' || options === null || Array.isArray(options))
      throw invalid('the options of a scrubber must be an object with `profile`, `values` or `key`')
    for (const name of Object.keys(options)) {
      if (OPTIONS.includes(name)) continue
      const meant = didYouMean(name, OPTIONS) || '; there are `profile`, `values` and `key`'
      throw invalid(`a scrubber has no option \`${name}\`${meant}`)
    }
    this.#native = attempt(() => new native.NativeScrubber(textOf(options, 'options')))
  }

  scrub(text) {
    return masked(
      text,
      (text) => this.#native.scrub(text),
      (bytes) => this.#native.scrubBytes(bytes),
    )
  }

  findings(text) {
    return JSON.parse(attempt(() => this.#native.findings(stringOf(text, 'text'))))
  }

  add(value, kind) {
    const name = kind === undefined || kind === null ? null : stringOf(kind, 'kind')
    return attempt(() => this.#native.add(stringOf(value, 'value'), name)) ?? null
  }

  remove(value) {
    return this.#native.remove(stringOf(value, 'value'))
  }

  stream() {
    return new ScrubStream(this.#native.stream())
  }
}

class ScrubStream {
  #native
  #kind
  #decoder = new StringDecoder('utf8')
  // Half of a character that a string was cut in.
  #half = ''

  constructor(stream) {
    this.#native = stream
  }

  push(piece) {
    const kind = piece instanceof Uint8Array ? 'bytes' : 'string'
    if (kind === 'string' && typeof piece !== 'string')
      throw invalid('`piece` must be a string or a Uint8Array')
    if (this.#kind !== undefined && this.#kind !== kind)
      throw invalid(`this stream began with a ${this.#kind}: go on with one`)
    this.#kind = kind
    if (kind === 'bytes') return attempt(() => this.#native.push(piece))
    let text = this.#half + piece
    this.#half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ''
    text = text.slice(0, text.length - this.#half.length)
    const given = Buffer.from(stringOf(text, 'piece'))
    return this.#decoder.write(bufferOf(attempt(() => this.#native.push(given))))
  }

  finish() {
    if (this.#half !== '') throw invalid('the text ends with half of a character')
    const rest = attempt(() => this.#native.finish())
    return this.#kind === 'bytes' ? rest : this.#decoder.end(bufferOf(rest))
  }
}

/** The same bytes as a decoder takes them. */
function bufferOf(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function attempt(work) {
  try {
    return work()
  } catch (error) {
    throw translated(error)
  }
}

module.exports = { Scrubber, scrub }
