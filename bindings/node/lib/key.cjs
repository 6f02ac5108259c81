'use strict'
// The key that secrets are sealed under, where the host gives it. No error shows what it gave.

const { ToolkeepError } = require('./errors.cjs')

const refused = (why, options) =>
  new ToolkeepError(`configuration: \`secrets.key\`: ${why}`, 'invalid_config', options)

/** The key's text, or undefined where the host gives none. */
async function keyOf({ key } = {}) {
  if (key === undefined || key === null) return undefined
  if (typeof key !== 'function')
    throw refused(`\`key\` is a ${typeof key}; give a function that returns the key`)
  let text
  try {
    text = await key()
  } catch (cause) {
    throw refused('the host gives no key: its function threw', { cause })
  }
  if (typeof text !== 'string')
    throw refused(`the host gives no key: its function gave a ${typeof text}, not a string`)
  return text
}

module.exports = { keyOf }
