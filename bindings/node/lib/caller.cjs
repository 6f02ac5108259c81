'use strict'
// The options of a call: who calls, from where, and the signal that aborts it.

const { invalid } = require('./errors.cjs')
const { callerFields: FIELDS } = require('./generated.cjs')
const { inheritedKey, textOf } = require('./json.cjs')

const NAMES = Object.keys(FIELDS)

/**
 * The options as `{ caller, signal }`: JSON text or undefined, and an AbortSignal or undefined.
 * A key that is no option goes along; core refuses it and names the nearest. What is `beside` the
 * options of every call is left to who reads it.
 */
function readOptions(options, beside = 'signal') {
  if (options === undefined || options === null) return { caller: undefined, signal: undefined }
  if (typeof options !== 'object') throw invalid('the options of a call must be an object')
  const signal = options.signal ?? undefined
  const fields = fieldsOf(options, beside)
  if (signal !== undefined) checkedSignal(signal)
  return { caller: fields && textOf(fields, 'options'), signal }
}

/** The fields of a caller under core's names, without those that say nothing. */
function fieldsOf(caller, beside, depth = 0) {
  const unseen = inheritedKey(caller, NAMES)
  if (unseen !== undefined) {
    const where = `\`options${'.parent'.repeat(depth)}.${unseen}\``
    throw invalid(`${where} is not the object's own but its prototype's; give a plain object`)
  }
  let fields
  for (const key of Object.keys(caller)) {
    const value = caller[key]
    if (value === undefined || value === null) continue
    if (depth === 0 && (key === 'signal' || key === beside)) continue
    const isCaller = key === 'parent' && typeof value === 'object' && !Array.isArray(value)
    // One who is his own parent is deeper than core takes, and core says so.
    const given = isCaller && depth < DEEPEST ? (fieldsOf(value, beside, depth + 1) ?? {}) : value
    ;(fields ??= {})[Object.hasOwn(FIELDS, key) ? FIELDS[key] : key] = given
  }
  return fields
}

/** A caller of core's under our names. */
function callerOf(core, caller = {}) {
  for (const key in FIELDS) caller[key] = core[FIELDS[key]]
  if (caller.parent !== null) caller.parent = callerOf(caller.parent)
  return caller
}

/** How many callers are looked at above each other: more than core takes. */
const DEEPEST = 32

function checkedSignal(signal) {
  const usable =
    typeof signal?.addEventListener === 'function' && typeof signal.aborted === 'boolean'
  if (!usable) throw invalid('`signal` must be an AbortSignal')
  return signal
}

module.exports = { callerOf, checkedSignal, readOptions }
