'use strict'
// Handlers: functions of the host that toolkeep asks.

const { invalid } = require('./errors.cjs')
const { flawIn } = require('./json.cjs')

/** By the name of the handler: its request as the core sends it, as the host gets it. */
const REQUESTS = {
  approve: ({ expires_at_ms: expiresAtMs, ...request }) => ({ ...request, expiresAtMs }),
}

/** A handler as a tool would be run, or undefined where there is none. */
function handlerOf(name, handler) {
  if (handler === undefined || handler === null) return undefined
  if (typeof handler !== 'function')
    throw invalid(`\`${name}\` is a ${typeof handler}; give a function that takes a request`)
  const requestOf = REQUESTS[name] ?? ((request) => request)
  return async (request, context) => {
    const answer = await handler(requestOf(request), context)
    const flaw = flawIn(answer, 1, true)
    if (flaw === null) return answer
    const where = ['answer', ...flaw.path].join('.')
    throw invalid(`The ${name} handler returned what is not JSON: \`${where}\` is ${flaw.what}`)
  }
}

module.exports = { handlerOf }
