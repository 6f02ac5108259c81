'use strict'
// The options of a call: who calls, from where, and the signal that aborts it.

const { invalid } = require('./errors.cjs')
const { textOf } = require('./json.cjs')

/** Core's name of each field of a caller, by ours. */
const FIELDS = {
  tenant: 'tenant',
  agent: 'agent',
  user: 'user',
  sender: 'sender',
  role: 'role',
  channel: 'channel',
  chat: 'chat',
  peerKind: 'peer_kind',
  session: 'session',
  provider: 'provider',
  model: 'model',
  workspace: 'workspace',
  team: 'team',
  run: 'run',
  depth: 'depth',
  timeoutMs: 'timeout_ms',
}

/**
 * The options as `{ caller, signal }`: JSON text or undefined, and an AbortSignal or undefined.
 * A key that is no option goes along; core refuses it and names the nearest.
 */
function readOptions(options) {
  if (options === undefined || options === null) return { caller: undefined, signal: undefined }
  if (typeof options !== 'object') throw invalid('the options of a call must be an object')
  let fields
  let signal
  for (const key of Object.keys(options)) {
    const value = options[key]
    if (value === undefined || value === null) continue
    if (key === 'signal') signal = checkedSignal(value)
    else (fields ??= {})[Object.hasOwn(FIELDS, key) ? FIELDS[key] : key] = value
  }
  return { caller: fields && textOf(fields, 'options'), signal }
}

function checkedSignal(signal) {
  const usable =
    typeof signal?.addEventListener === 'function' && typeof signal.aborted === 'boolean'
  if (!usable) throw invalid('`signal` must be an AbortSignal')
  return signal
}

module.exports = { FIELDS, checkedSignal, readOptions }
