// Expressions and matchers of the shared vectors: see tests/vectors.schema.json.

import { isDeepStrictEqual } from 'node:util'

/** An input with its expressions worked out and its words filled in. */
export function expand(value, words) {
  if (typeof value === 'string') return fill(value, words)
  if (Array.isArray(value)) return value.map((item) => expand(item, words))
  if (typeof value !== 'object' || value === null) return value
  const [[operator, operand] = [], ...others] = Object.entries(value)
  if (others.length === 0 && Object.hasOwn(EXPRESSIONS, operator ?? '')) {
    return EXPRESSIONS[operator](operand, words)
  }
  return mapped(value, (item) => expand(item, words))
}

const EXPRESSIONS = {
  $repeat: ([text, count], words) => expand(text, words).repeat(count),
  $concat: (parts, words) => parts.map((part) => expand(part, words)).join(''),
  $nest: ([depth]) => {
    let nested = []
    for (let level = 0; level < depth; level++) nested = [nested]
    return nested
  },
  $json: (value, words) => JSON.stringify(expand(value, words)),
}

/** An expectation with its words filled in. */
export function fillIn(value, words) {
  if (typeof value === 'string') return fill(value, words)
  if (Array.isArray(value)) return value.map((item) => fillIn(item, words))
  if (typeof value !== 'object' || value === null) return value
  return mapped(value, (item) => fillIn(item, words))
}

function fill(text, words) {
  return Object.entries(words).reduce(
    (all, [word, meaning]) => all.replaceAll(`{${word}}`, () => meaning),
    text,
  )
}

function mapped(fields, change) {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, change(field)]))
}

/** Why `actual` is not what `expected` asks for; undefined if it is. */
export function mismatch(expected, actual = null) {
  if (Array.isArray(expected)) return listMismatch(expected, actual)
  if (typeof expected !== 'object' || expected === null) {
    return expected === actual ? undefined : `expected ${show(expected)}, found ${show(actual)}`
  }
  const fields = Object.entries(expected)
  if (fields.length === 1 && fields[0][0].startsWith('$')) return special(...fields[0], actual)
  if (typeof actual !== 'object' || actual === null) {
    return fields.length === 0 && actual !== null
      ? undefined
      : `expected an object, found ${show(actual)}`
  }
  for (const [key, field] of fields) {
    const why = mismatch(field, actual[key])
    if (why !== undefined) return `${key}: ${why}`
  }
  return undefined
}

function listMismatch(expected, actual) {
  if (!Array.isArray(actual) || actual.length !== expected.length) {
    return `expected ${expected.length} elements, found ${show(actual)}`
  }
  for (const [index, item] of expected.entries()) {
    const why = mismatch(item, actual[index])
    if (why !== undefined) return `[${index}]: ${why}`
  }
  return undefined
}

function special(operator, operand, actual) {
  if (operator === '$all')
    return operand.map((one) => mismatch(one, actual)).find((why) => why !== undefined)
  if (!Object.hasOwn(MATCHERS, operator)) return `there is no matcher ${operator}`
  if (MATCHERS[operator](operand, actual)) return undefined
  return `${operator} ${show(operand)} does not hold for ${show(actual)}`
}

const holds = (operand) => (item) => mismatch(operand, item) === undefined
const isText = (value) => typeof value === 'string'

const MATCHERS = {
  $contains: (parts, text) => isText(text) && [parts].flat().every((part) => text.includes(part)),
  $lacks: (parts, text) => isText(text) && ![parts].flat().some((part) => text.includes(part)),
  $matches: (pattern, text) => isText(text) && new RegExp(pattern, 'u').test(text),
  $absent: (_, actual) => actual === null,
  $present: (_, actual) => actual !== null,
  $length: (length, actual) =>
    (isText(actual) || Array.isArray(actual)) && [...actual].length === length,
  $some: (operand, actual) => Array.isArray(actual) && actual.some(holds(operand)),
  $none: (operand, actual) => Array.isArray(actual) && !actual.some(holds(operand)),
  $equal: (operand, actual) => isDeepStrictEqual(operand, actual),
  $least: (least, number) => typeof number === 'number' && number >= least,
}

function show(value) {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}
