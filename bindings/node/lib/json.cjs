'use strict'
// Values to JSON text, without the losses that JSON.stringify is silent about: it writes NaN and
// functions as null or not at all, and a Map as {}. `undefined` in an object is left out and in an
// array is null, and `toJSON` is honoured, as everybody expects.

const { ToolkeepError, invalid } = require('./errors.cjs')

/** The deepest nesting that core takes: the same number as its MAX_JSON_DEPTH. */
const DEEPEST = 128

/**
 * The first thing in `value` that is not JSON: `{ kind, what, path }`, or null. `kind` is `type`,
 * `surrogate` or `deep`.
 */
function flawIn(value, level = 1) {
  if (level > DEEPEST)
    return { kind: 'deep', what: `nested deeper than ${DEEPEST} levels`, path: [] }
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? null : surrogate()
    case 'number':
      return Number.isFinite(value) ? null : { kind: 'type', what: String(value), path: [] }
    case 'boolean':
    case 'undefined':
      return null
    case 'object':
      if (value === null) return null
      return typeof value.toJSON === 'function'
        ? flawInside(value.toJSON(''), level)
        : flawInside(value, level)
    default:
      return { kind: 'type', what: `a ${typeof value}`, path: [] }
  }
}

function flawInside(value, level) {
  if (typeof value !== 'object' || value === null) return flawIn(value, level)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const flaw = flawIn(value[index], level + 1)
      if (flaw !== null) return at(index, flaw)
    }
    return null
  }
  const tag = Object.prototype.toString.call(value)
  if (tag !== '[object Object]') return { kind: 'type', what: `a ${tag.slice(8, -1)}`, path: [] }
  for (const key of Object.keys(value)) {
    const flaw = key.isWellFormed() ? flawIn(value[key], level + 1) : surrogate()
    if (flaw !== null) return at(key, flaw)
  }
  return null
}

function surrogate() {
  return { kind: 'surrogate', what: 'text with half a surrogate pair', path: [] }
}

function at(key, flaw) {
  flaw.path.unshift(key)
  return flaw
}

/** True if the way down to a flaw meets one object twice. */
function isCyclic(value, path) {
  const above = new Set()
  for (const key of path) {
    if (above.has(value)) return true
    above.add(value)
    value = value?.[key]
  }
  return false
}

/** The value down to the first level that core refuses, so that core words the refusal. */
function pruned(value, level = 1) {
  if (level > DEEPEST) return null
  if (typeof value !== 'object' || value === null || typeof value.toJSON === 'function')
    return value
  if (Array.isArray(value)) return value.map((item) => pruned(item, level + 1))
  const fields = Object.entries(value).map(([key, item]) => [key, pruned(item, level + 1)])
  return Object.fromEntries(fields)
}

/** JSON text of what the host handed over. What it names in `place` is what its errors name. */
function textOf(value, place, code = 'invalid_argument') {
  const flaw = flawIn(value)
  if (flaw === null) return JSON.stringify(value) ?? 'null'
  const where = [place, ...flaw.path].join('.').slice(0, 200)
  if (flaw.kind === 'deep') {
    if (!isCyclic(value, flaw.path)) return JSON.stringify(pruned(value))
    throw new ToolkeepError(`\`${where.slice(0, 40)}…\` refers to itself`, code)
  }
  if (flaw.kind === 'surrogate') {
    const why = 'which UTF-8 cannot hold; call toWellFormed() on it first'
    throw new ToolkeepError(`\`${where}\` is ${flaw.what}, ${why}`, 'invalid_utf8')
  }
  throw new ToolkeepError(`\`${where}\` is ${flaw.what}, which is not JSON`, code)
}

/** A text of the host's, checked. */
function stringOf(value, place) {
  if (typeof value !== 'string') throw invalid(`\`${place}\` must be a string, not ${typeof value}`)
  if (!value.isWellFormed()) textOf(value, place)
  return value
}

module.exports = { flawIn, isCyclic, stringOf, textOf }
