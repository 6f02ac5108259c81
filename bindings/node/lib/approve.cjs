'use strict'
// The host's handler that decides where a call wants approval.

const { invalid } = require('./errors.cjs')

/** The handler of the options as a tool would be run, or undefined where there is none. */
function approverOf({ approve } = {}) {
  if (approve === undefined || approve === null) return undefined
  if (typeof approve !== 'function')
    throw invalid(`\`approve\` is a ${typeof approve}; give a function that takes a request`)
  return ({ expires_at_ms: expiresAtMs, ...request }, context) =>
    approve({ ...request, expiresAtMs }, context)
}

module.exports = { approverOf }
