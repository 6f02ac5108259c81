'use strict'
// Values to JSON text, without the losses that JSON.stringify is silent about: it writes NaN and
// functions as null or not at all, and a Map as {}. `undefined` in an object is left out and in an
// array is null, and `toJSON` is honoured, as everybody expects.

const { ToolkeepError, invalid } = require('./errors.cjs')
const { mostJsonDepth: DEEPEST } = require('./generated.cjs')

/**
 * The first thing in `value` that is not JSON: `{ kind, what, path }`, or null. `kind` is `type`,
 * `class`, `bigint`, `surrogate` or `deep`.
 *
 * Only plain objects hold all that they show in keys of their own: what a class has behind getters
 * or a prototype has in it would be left out. `anyClass` takes objects of classes all the same.
 */
function flawIn(value, level = 1, anyClass = false) {
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
      if (typeof value.toJSON === 'function')
        return flawInside(value.toJSON(''), level, anyClass, true)
      return flawInside(value, level, anyClass, anyClass)
    case 'bigint':
      return { kind: 'bigint', what: 'a bigint', path: [] }
    default:
      return { kind: 'type', what: `a ${typeof value}`, path: [] }
  }
}

function flawInside(value, level, anyClass, isTold) {
  if (typeof value !== 'object' || value === null) return flawIn(value, level, anyClass)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const flaw = flawIn(value[index], level + 1, anyClass)
      if (flaw !== null) return at(index, flaw)
    }
    return null
  }
  const tag = Object.prototype.toString.call(value)
  if (tag !== '[object Object]') return { kind: 'type', what: `a ${tag.slice(8, -1)}`, path: [] }
  if (!isTold && !isPlain(value)) return { kind: 'class', what: classOf(value), path: [] }
  for (const key of Object.keys(value)) {
    const flaw = key.isWellFormed() ? flawIn(value[key], level + 1, anyClass) : surrogate()
    if (flaw !== null) return at(key, flaw)
  }
  return null
}

/** True for an object literal, also of another realm, and for an object without a prototype. */
function isPlain(value) {
  const above = Object.getPrototypeOf(value)
  if (above === null || above === Object.prototype) return true
  return Object.getPrototypeOf(above) === null && Object.hasOwn(above, 'isPrototypeOf')
}

function classOf(value) {
  const above = Object.getPrototypeOf(value)
  const name = Object.hasOwn(above, 'constructor') ? above.constructor?.name : ''
  return typeof name === 'string' && name !== ''
    ? `an object of the class ${name}`
    : 'an object with a prototype'
}

/** One of the known keys that an object has only by its prototype, so that it would go unseen. */
function inheritedKey(value, known) {
  if (isPlain(value)) return undefined
  return known.find((key) => key in value && !Object.hasOwn(value, key))
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
    if (typeof value !== 'object' || value === null) return false
    if (above.has(value)) return true
    above.add(value)
    value = value[key]
  }
  return false
}

/** The value down to the first level that core refuses. */
function pruned(value, level) {
  if (level > DEEPEST || typeof value !== 'object' || value === null) {
    return level > DEEPEST ? null : value
  }
  const plain = typeof value.toJSON === 'function' ? value.toJSON('') : value
  if (typeof plain !== 'object' || plain === null) return plain
  if (Array.isArray(plain)) return plain.map((item) => pruned(item, level + 1))
  const fields = Object.entries(plain).map(([key, item]) => [key, pruned(item, level + 1)])
  return Object.fromEntries(fields)
}

/** What the host handed over is not JSON: the error that says where, and what to do. */
function refusal(value, flaw, place, code) {
  const where = [place, ...flaw.path].join('.')
  const shown = where.length > 100 ? `${where.slice(0, 100)}…` : where
  if (flaw.kind === 'surrogate') {
    const why = 'which UTF-8 cannot hold; call toWellFormed() on it first'
    return new ToolkeepError(`\`${shown}\` is ${flaw.what}, ${why}`, 'invalid_utf8')
  }
  if (flaw.kind === 'class') {
    const advice = 'what its prototype has would be left out; give a plain object, `{ … }`'
    return new ToolkeepError(`\`${shown}\` is ${flaw.what}: ${advice}`, code)
  }
  const cyclic = flaw.kind === 'deep' && isCyclic(value, flaw.path)
  const what = cyclic ? 'refers to itself' : `is ${flaw.what}`
  const told = flaw.kind === 'deep' && code !== 'invalid_config' ? 'invalid_json' : code
  return new ToolkeepError(`\`${shown}\` ${what}, which is not JSON that toolkeep takes`, told)
}

/** JSON text of what the host handed over. What it names in `place` is what its errors name. */
function textOf(value, place, code = 'invalid_argument') {
  const flaw = flawIn(value)
  if (flaw !== null) throw refusal(value, flaw, place, code)
  return JSON.stringify(value) ?? 'null'
}

/** What a host's parser takes from a model's text, and core does not. */
const MODELS = ['bigint', 'surrogate']

/**
 * The same for arguments, whose outermost object is at `level`. They may come from a model, so it
 * is core that refuses them where they are nested too deeply, with its own words: it gets just as
 * much as it takes to see that. `unread(error, path)` is asked about another flaw that may be the
 * model's; by default it is the host's.
 */
function argumentsOf(value, place, level = 1, unread = raised) {
  const flaw = flawIn(value, level)
  if (flaw === null) return JSON.stringify(value) ?? 'null'
  if (flaw.kind === 'deep' && !isCyclic(value, flaw.path)) {
    const cut = pruned(value, level)
    // Nothing deeper than that is left in it, so that only another kind of flaw can be.
    const other = flawIn(cut, level - 1)
    if (other === null) return JSON.stringify(cut)
    return refused(cut, other, place, unread)
  }
  return refused(value, flaw, place, unread)
}

function refused(value, flaw, place, unread) {
  const error = refusal(value, flaw, place, 'invalid_argument')
  if (!MODELS.includes(flaw.kind)) throw error
  return unread(error, flaw.path)
}

function raised(error) {
  throw error
}

/** The arguments of one call: their text, and what it is (see `arguments` in src/runtime.rs). */
function callArguments(args) {
  if (typeof args === 'string') return { text: stringOf(args, 'args'), form: 1 }
  let form = 0
  const text = argumentsOf(args, 'args', 1, ({ message }) => {
    form = 2
    return message
  })
  return { text, form }
}

/** The level of the list of calls, so that the arguments of each are at level 1. */
const REQUESTS = -1

/** The calls of a turn as JSON text, and which of them have arguments that are not JSON, and why. */
function callRequests(requests) {
  const unread = []
  for (let given = requests; ; ) {
    let at
    const text = argumentsOf(given, 'requests', REQUESTS, (error, [index, key]) => {
      // Not even a text, as the arguments of one call: that is the host's.
      if (!Array.isArray(given) || key !== 'arguments') throw error
      if (typeof given[index].arguments === 'string') throw error
      at = index
      unread.push([index, error.message])
    })
    if (at === undefined) return { text, unread: JSON.stringify(unread) }
    given = given.map((request, index) => (index === at ? { ...request, arguments: null } : request))
  }
}

/** A text of the host's, checked. */
function stringOf(value, place) {
  if (typeof value !== 'string') throw invalid(`\`${place}\` must be a string, not ${typeof value}`)
  if (!value.isWellFormed()) textOf(value, place)
  return value
}

module.exports = { argumentsOf, callArguments, callRequests, flawIn, inheritedKey, isCyclic, isPlain, stringOf, textOf }
