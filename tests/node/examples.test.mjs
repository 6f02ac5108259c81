// The examples, as a user runs them.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { emptyFolder } from './fixture.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const examples = path.join(root, 'examples', 'node')
const KEY = 'test-key'

before(async () => {
  const modules = path.join(examples, 'node_modules')
  if (existsSync(path.join(modules, 'toolkeep'))) return
  await mkdir(modules, { recursive: true })
  await symlink('../../../bindings/node', path.join(modules, 'toolkeep'))
})

/** Runs an example: `{ code, out, err }`. */
async function run(name, args, { env = {}, cwd = root } = {}) {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 60_000 }
  const child = spawn(process.execPath, [path.join(examples, name), ...args], options)
  const said = { out: '', err: '' }
  child.stdout.on('data', (data) => (said.out += data))
  child.stderr.on('data', (data) => (said.err += data))
  const [code, signal] = await once(child, 'close')
  return { ...said, code: code ?? signal }
}

/** Starts the stand-in chat server with a script: its URL, and what it was asked. */
async function chatServer(t, turns) {
  const folder = await emptyFolder(t)
  const [script, record] = ['turns.json', 'requests'].map((name) => path.join(folder, name))
  await writeFile(script, JSON.stringify(turns))
  const command = [path.join(root, 'tests', 'chat_server.py'), script, '--key', KEY]
  const server = spawn('python3', [...command, '--record', record], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => server.kill())
  const [line] = await once(server.stdout, 'data')
  const asked = async () => {
    const lines = (await readFile(record, 'utf8')).trim().split('\n')
    return lines.map((one) => JSON.parse(one).body)
  }
  return { url: String(line).trim(), asked }
}

/** Runs the agent on an empty workspace against a script. */
async function agent(t, turns, env = {}) {
  const server = await chatServer(t, turns)
  const workspace = await emptyFolder(t)
  await writeFile(path.join(workspace, 'secret.env'), 'password=correct-horse-battery\n')
  const given = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'stand-in' }
  const args = ['--workspace', workspace, 'Do', 'it.']
  const ended = await run('agent.mjs', args, { env: { ...given, ...env } })
  return { ...ended, workspace, asked: server.asked }
}

const calls = (...all) => ({
  tool_calls: all.map(([name, args]) => ({ name, arguments: args })),
})

test('the quickstart does what it says, on this repository', async () => {
  const { code, out, err } = await run('quickstart.mjs', [])
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /Cargo\.toml/)
  assert.match(out, /^5$/m)
  assert.match(out, /'word_count'/)
  assert.match(out, /^the list `policy\.deny` rules it out by its entry `edit`$/m)
  assert.match(out, /^denied_by_policy - policy\.deny\[0\] = "edit" - `edit`/m)
})

test('the quickstart is at most fifteen lines of code', async () => {
  const text = await readFile(path.join(examples, 'quickstart.mjs'), 'utf8')
  const code = text.split('\n').filter((line) => line !== '' && !line.startsWith('//'))
  assert.ok(code.length <= 15, `${code.length} lines`)
})

test('the agent plays the calls of its model through the runtime', async (t) => {
  const ended = await agent(t, [
    calls(
      ['write_file', { path: 'a.txt', content: 'hello\n' }],
      ['read_file', { path: 'secret.env' }],
      ['raed_file', { path: 'a.txt' }],
      ['read_file', '{"path": '],
      ['count_words', { text: 'one two  three' }],
    ),
    calls(['read_file', { path: '../../etc/passwd' }]),
    { content: 'All done.' },
  ])
  assert.deepEqual([ended.code, ended.err], [0, ''])
  assert.equal(await readFile(path.join(ended.workspace, 'a.txt'), 'utf8'), 'hello\n')
  const asked = await ended.asked()
  assert.equal(asked.length, 3)
  assert.deepEqual(asked[0].messages.at(-1), { role: 'user', content: 'Do it.' })
  const names = asked[0].tools.map((tool) => tool.function.name)
  assert.ok(names.includes('read_file') && names.includes('count_words'))
  const told = asked[2].messages.filter((message) => message.role === 'tool')
  assert.equal(told.length, 6)
  assert.ok(!JSON.stringify(asked).includes('correct-horse-battery'))
  assert.match(told[2].content, /`read_file`/)
  assert.match(told[3].content, /not valid JSON/)
  assert.equal(told[4].content, '{"words":3}')
  for (const decision of ['allowed', 'unknown_tool', 'invalid_arguments', 'access_denied']) {
    assert.match(ended.out, new RegExp(`^decision  ${decision}`, 'm'))
  }
  assert.match(ended.out, /^answer {4}All done\.$/m)
  assert.ok(!ended.out.includes('correct-horse-battery'))
})

test('the agent stops after twenty turns', async (t) => {
  const turns = Array.from({ length: 30 }, () => calls(['datetime', {}]))
  const ended = await agent(t, turns)
  assert.deepEqual([ended.code, ended.err], [1, 'no answer after 20 turns\n'])
  assert.equal((await ended.asked()).length, 20)
})

test('the agent says what is wrong with the network or the server', async (t) => {
  const closed = await agent(t, [], { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' })
  assert.equal(closed.code, 1)
  assert.match(closed.err, /^cannot reach http:\/\/127\.0\.0\.1:1\/v1\/chat\/completions: .+\n$/)
  const failing = await agent(t, [{ status: 503, body: 'overloaded' }])
  assert.equal(failing.code, 1)
  assert.match(failing.err, /answered 503: .*overloaded/)
  const refused = await agent(t, [], { OPENAI_API_KEY: 'wrong' })
  assert.equal(refused.code, 1)
  assert.match(refused.err, /answered 401/)
})

test('the agent says what is missing', async () => {
  const env = { OPENAI_API_KEY: '', OPENAI_MODEL: '' }
  const unset = await run('agent.mjs', ['task'], { env })
  assert.equal(unset.code, 2)
  assert.match(unset.err, /OPENAI_API_KEY/)
  const idle = await run('agent.mjs', [], { env })
  assert.equal(idle.code, 2)
  assert.match(idle.err, /usage/)
  const set = { OPENAI_API_KEY: 'x', OPENAI_MODEL: 'm' }
  const lost = await run('agent.mjs', ['--workspace', '/no/such/folder', 'task'], { env: set })
  assert.equal(lost.code, 1)
  assert.match(lost.err, /^toolkeep: .*`workspace`.*\[invalid_config\]/)
})
