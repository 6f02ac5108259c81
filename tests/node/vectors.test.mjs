// Runs every shared vector (tests/vectors/**/*.json) on the Node binding.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import {
  Runtime,
  Scrubber,
  ToolError,
  ToolkeepError,
  checkCommand,
  scrub,
} from '../../bindings/node/index.mjs'
import { expand, fillIn, mismatch } from './matcher.mjs'

// The key of the shared vectors. It guards nothing.
process.env.TOOLKEEP_TEST_KEY = '8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11'

const root = new URL('../vectors/', import.meta.url)
const names = (await readdir(root, { recursive: true }))
  .filter((name) => name.endsWith('.json'))
  .sort()
const texts = await Promise.all(names.map((name) => readFile(new URL(name, root), 'utf8')))
let ran = 0
let engine

for (const [index, name] of names.entries()) {
  const file = JSON.parse(texts[index])
  for (const one of file.cases) {
    test(`${name}: ${one.name}`, async () => {
      ran += 1
      await runCase(file.setup ?? {}, one)
    })
  }
}

after(() => {
  engine?.process.stdin.end()
  // Counted anew from the files, so that a case which the loop above loses is missed.
  const held = texts.reduce((sum, text) => sum + JSON.parse(text).cases.length, 0)
  console.log(`vectors: ${ran} cases`)
  assert.ok(ran > 0 && ran === held, `${ran} of ${held} cases ran`)
})

// A Docker Engine, which stops when its standard input is closed.
function startEngine() {
  const args = ['run', '--quiet', '-p', 'toolkeep-test-docker']
  const stdio = ['pipe', 'pipe', 'inherit']
  const process = spawn('cargo', args, { cwd: new URL('.', import.meta.url), stdio })
  const words = (async () => {
    const lines = []
    for await (const line of createInterface({ input: process.stdout })) {
      lines.push(line)
      if (lines.length === 2) return { engine: lines[0], image: lines[1] }
    }
    assert.fail('the Docker Engine did not start')
  })()
  return { process, words }
}

async function runCase(shared, { setup = {}, steps }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolkeep-'))
  const workspace = path.join(folder, 'ws')
  const words = { folder, workspace }
  if (shared.docker || setup.docker) {
    engine ??= startEngine()
    Object.assign(words, await engine.words)
  }
  await mkdir(workspace)
  const files = { ...shared.files, ...setup.files }
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(workspace, name)), { recursive: true })
    await writeFile(path.join(workspace, name), expand(content, words))
  }
  const config = { workspace, ...shared.config, ...setup.config }
  const rt = await open(expand(config, words))
  try {
    for (const [number, step] of steps.entries()) await runStep(rt, step, words, number + 1)
  } finally {
    await rt.close()
    await rm(folder, { recursive: true })
  }
}

async function runStep(rt, { expect, raises, save = {}, ...step }, words, number) {
  const [[verb, operand]] = Object.entries(step)
  const input = expand(operand, words)
  let actual
  try {
    actual = (await VERBS[verb](rt, input)) ?? null
    assert.equal(
      raises,
      undefined,
      `step ${number} (${verb}) gave ${JSON.stringify(actual)?.slice(0, 900)}`,
    )
  } catch (error) {
    if (!(error instanceof ToolkeepError) || raises === undefined) throw error
    actual = { code: error.code, message: error.message }
  }
  const why = mismatch(fillIn(raises ?? expect, words), actual)
  if (why !== undefined)
    assert.fail(`step ${number} (${verb}): ${why}\n    in ${JSON.stringify(actual).slice(0, 900)}`)
  for (const [word, pointer] of Object.entries(save)) {
    words[word] = pointer
      .slice(1)
      .split('/')
      .reduce((value, key) => value[key], actual)
    assert.equal(typeof words[word], 'string', `nothing to save at ${pointer}`)
  }
}

const VERBS = {
  call: async (rt, { tool, args, context }) => snake(await rt.call(tool, args, camel(context))),
  call_all: async (rt, { requests, context }) => {
    const answers = await rt.callAll(requests, camel(context))
    return answers.map(({ id, result }) => ({ id, result: snake(result) }))
  },
  invoke: (rt, { operation, args }) => {
    const [domain, verb] = operation.split('.')
    return rt[domain]?.[verb] === undefined ? rt.invoke(operation, args) : rt[domain][verb](args)
  },
  definitions: (rt, { dialect, strict, context }) =>
    rt.definitions(dialect, { ...camel(context), strict }),
  definitions_report: (rt, { dialect, strict, context }) =>
    rt.definitionsReport(dialect, { ...camel(context), strict }),
  explain: async (rt, { tool, context }) => snake(await rt.explain(tool, camel(context))),
  check: (_, { command, options }) => snake(checkCommand(command, options)),
  check_rows: (_, given) => checkedRows(given),
  scrub: (_, { text, options, chunk }) => {
    if (options === undefined) return scrub(text)
    const scrubber = new Scrubber(options)
    if (chunk === undefined) return scrubber.scrub(text)
    const stream = scrubber.stream()
    const pieces = []
    for (let at = 0; at < text.length; at += chunk)
      pieces.push(stream.push(text.slice(at, at + chunk)))
    return [...pieces, stream.finish()].join('')
  },
  findings: (_, { text, options }) => new Scrubber(options).findings(text),
  open: async (_, { config }) => (await new Runtime(config).ready()).close(),
  register: (rt, { spec }) => rt.tool({ ...camel(spec), run: (args) => args }),
  unregister: (rt, { tool }) => rt.unregister(tool),
  close: (rt) => rt.close(),
}

/** Judges the rows of a table that fit `where`, and counts those for which `holds` does. */
async function checkedRows({ table, where, options = {}, holds }) {
  const text = await readFile(new URL(`../../core/shell/testdata/${table}`, import.meta.url), 'utf8')
  const rows = text.trimEnd().split('\n').map((line) => JSON.parse(line))
  const fitting = rows.filter((row) => mismatch(where, row) === undefined)
  const misses = []
  for (const row of fitting) {
    let outcome
    try {
      outcome = snake(checkCommand(row.cmd, filled(options, row)))
    } catch (error) {
      if (!(error instanceof ToolkeepError)) throw error
      outcome = { code: error.code, message: error.message }
    }
    const why = mismatch(holds, outcome)
    if (why !== undefined) misses.push(`${JSON.stringify(row.cmd)}: ${why}`)
  }
  const share = (100 * (fitting.length - misses.length)) / Math.max(fitting.length, 1)
  return { rows: fitting.length, share, misses: misses.slice(0, 20) }
}

/** Options with `{ $column: name }` replaced by what stands there in a row. */
function filled(options, row) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options
  if (Object.hasOwn(options, '$column')) {
    assert.ok(Object.hasOwn(row, options.$column), `there is no column ${options.$column}`)
    return row[options.$column]
  }
  return Object.fromEntries(Object.entries(options).map(([key, one]) => [key, filled(one, row)]))
}

/** The first level of an object with its keys in Node's case. */
function camel(fields) {
  if (fields === undefined) return undefined
  const rename = (key) => key.replace(/(?<=[a-z])_([a-z])/g, (_, letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [rename(key), value]))
}

/** The first level of an object with its keys in core's case. */
function snake(fields) {
  const rename = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [rename(key), value]))
}

async function open(config) {
  const rt = await new Runtime(config).ready()
  for (const tool of HOST_TOOLS) await rt.tool({ description: 'A tool of the host.', ...tool })
  return rt
}

const only = (name, type) => ({
  type: 'object',
  properties: { [name]: { type } },
  required: [name],
  additionalProperties: false,
})

const HOST_TOOLS = [
  {
    name: 'host_echo',
    parameters: only('text', 'string'),
    capabilities: ['read-only'],
    run: ({ text }) => text,
  },
  { name: 'host_data', run: async (args) => ({ echo: args }) },
  { name: 'host_none', run: async () => undefined },
  {
    name: 'host_fail',
    parameters: only('message', 'string'),
    run: async ({ message }) => {
      throw new Error(message)
    },
  },
  {
    name: 'host_refuse',
    run: async () => {
      throw new ToolError('The thing has changed.', { code: 'conflict' })
    },
  },
  {
    name: 'host_sleep',
    parameters: only('ms', 'integer'),
    capabilities: ['read-only'],
    run: async ({ ms }, { signal }) => {
      await sleep(ms, undefined, { signal })
      return 'slept'
    },
  },
  {
    name: 'host_whole',
    run: async () => ({ for_llm: 'for the model', for_user: 'for the user', silent: true }),
  },
  { name: 'host_bad', run: async () => ({ for_llm: 5 }) },
  {
    name: 'host_context',
    run: async (_, { tenant, agent, session, depth, channelType, parent, tools }) => ({
      ...{ tenant, agent, session, depth, tools },
      channel_type: channelType,
      parent: parent?.agent ?? null,
    }),
  },
  {
    name: 'host_plan',
    parameters: {
      type: 'object',
      properties: {
        command: { type: ['string', 'array'] },
        folder: { type: 'string' },
        input: { type: 'string' },
      },
      additionalProperties: false,
    },
    shellCommand: 'command',
    shellCwd: 'folder',
    shellStdin: 'input',
    run: (_, { plan }) => ({ plan }),
  },
]
