'use strict'
// Judging commands of a shell.

const native = require('../native.cjs')
const { invalid, translated } = require('./errors.cjs')
const { stringOf, textOf } = require('./json.cjs')

/** A check of core's as an object of ours. */
function checkOf({ for_llm: forLlm, for_user: forUser, without_approver: withoutApprover, ...core }) {
  return { ...core, forLlm, forUser, withoutApprover }
}

function checkCommand(command, options = {}) {
  stringOf(command, 'command')
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw invalid('the options of a command check must be an object with `profile`, `env`, …')
  const text = textOf(options, 'options')
  try {
    return checkOf(JSON.parse(native.checkCommand(command, text)))
  } catch (error) {
    throw translated(error)
  }
}

module.exports = { checkCommand, checkOf }
