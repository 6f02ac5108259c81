'use strict'
// The host's handler that decides where a call wants approval.

const { invalid } = require('./errors.cjs')
const { flawIn } = require('./json.cjs')

/** The handler of the options as a tool would be run, or undefined where there is none. */
function approverOf({ approve } = {}) {
  if (approve === undefined || approve === null) return undefined
  if (typeof approve !== 'function')
    throw invalid(`\`approve\` is a ${typeof approve}; give a function that takes a request`)
  return async ({ expires_at_ms: expiresAtMs, ...request }, context) => {
    const answer = await approve({ ...request, expiresAtMs }, context)
    const flaw = flawIn(answer, 1, true)
    if (flaw === null) return answer
    const where = ['answer', ...flaw.path].join('.')
    throw invalid(`The approve handler returned what is not JSON: \`${where}\` is ${flaw.what}`)
  }
}

module.exports = { approverOf }
