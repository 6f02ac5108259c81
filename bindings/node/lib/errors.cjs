'use strict'
// What is thrown to the host, and what a tool may throw.

const { codes } = require('../operations.cjs')
const { didYouMean } = require('./nearest.cjs')

/** The host's own mistake, a store that does not answer, or the caller's cancellation. */
class ToolkeepError extends Error {
  constructor(message, code, options) {
    super(message, options)
    this.code = code
  }
}

/** Thrown by a tool to choose the code that the model is told. */
class ToolError extends Error {
  constructor(message, { code = 'tool_failed', ...options } = {}) {
    super(message, options)
    if (!codes.includes(code)) {
      const meant = didYouMean(String(code), codes)
      throw invalid(`\`code\` of a ToolError: there is no code \`${String(code)}\`${meant}`)
    }
    this.code = code
  }
}

for (const type of [ToolkeepError, ToolError]) {
  const name = { value: type.name, writable: true, configurable: true }
  Object.defineProperty(type.prototype, 'name', name)
}

/** The error of an aborted call: what other functions with a `signal` throw, with our code. */
function aborted(message, signal) {
  const options = signal?.aborted ? { cause: signal.reason } : undefined
  const error = new ToolkeepError(message, 'cancelled', options)
  error.name = 'AbortError'
  return error
}

/** An error of the native half, which carries `code`, a newline, and the message. */
function translated(error, signal) {
  if (error instanceof ToolkeepError) return error
  const [, code, message] = /^([a-z_0-9]+)\n([^]*)$/.exec(error?.message) ?? []
  if (code === undefined) return new ToolkeepError(String(error), 'internal', { cause: error })
  return code === 'cancelled' ? aborted(message, signal) : new ToolkeepError(message, code)
}

const invalid = (message) => new ToolkeepError(message, 'invalid_argument')

module.exports = { ToolkeepError, ToolError, aborted, invalid, translated }
