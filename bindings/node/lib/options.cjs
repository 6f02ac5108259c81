'use strict'
// The second argument of a runtime: what only code can say.

const { handlerOf } = require('./handlers.cjs')
const { invalid } = require('./errors.cjs')
const { keyOf } = require('./key.cjs')
const { didYouMean } = require('./nearest.cjs')

const KNOWN = ['approve', 'key']

/** The options as `{ approve, key }`, each undefined where it is not given. */
async function runtimeOptionsOf(options) {
  if (options === undefined || options === null) return {}
  if (typeof options !== 'object' || Array.isArray(options))
    throw invalid('the options of a runtime must be an object with `approve` or `key`')
  for (const name of Object.keys(options)) {
    if (KNOWN.includes(name)) continue
    const meant = didYouMean(name, KNOWN) || '; there are `approve` and `key`'
    throw invalid(`a runtime has no option \`${name}\`${meant}`)
  }
  return { approve: handlerOf('approve', options.approve), key: await keyOf(options) }
}

module.exports = { runtimeOptionsOf }
