import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'

import { Runtime, ToolkeepError, scrub, version } from '../../bindings/node/index.mjs'
import { openRuntime } from './fixture.mjs'

test('a result has every field, in camelCase', async (t) => {
  const rt = await openRuntime(t)
  const { callId, durationUs, forLlm, ...rest } = await rt.call('datetime', { timezone: 'UTC' })
  assert.match(callId, /^[0-9a-f]{32}$/)
  assert.equal(typeof durationUs, 'number')
  assert.ok(forLlm.length > 0)
  assert.deepEqual(Object.keys(rest).sort(), [
    ...['approval', 'artifact', 'cached', 'code', 'forUser', 'isAsync', 'isError', 'media'],
    ...['repairs', 'retryAfterMs', 'rule', 'silent', 'structured'],
  ])
})

test('a name that the model made up is a result and no exception', async (t) => {
  const rt = await openRuntime(t)
  const result = await rt.call('date_time', {})
  assert.equal(result.isError, true)
  assert.equal(result.code, 'unknown_tool')
  assert.match(result.forLlm, /datetime/)
})

test('arguments may be left out, null, an object or the text that the model wrote', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'show', run: (args) => args })
  for (const [args, seen] of [
    [undefined, {}],
    [null, {}],
    ['', {}],
    [{ a: 1 }, { a: 1 }],
    ['{"a":1}', { a: 1 }],
  ]) {
    assert.deepEqual((await rt.call('show', args)).structured, seen)
  }
  const broken = await rt.call('show', '{"a":')
  assert.equal(broken.code, 'invalid_arguments')
  assert.equal((await rt.call('show', [1])).code, 'invalid_arguments')
})

test('JSON goes both ways as it is: order, emoji, numbers, undefined and toJSON', async (t) => {
  const rt = await openRuntime(t)
  let seen
  await rt.tool({
    name: 'show',
    run: (args) => {
      seen = args
      return args
    },
  })
  const value = { z: 1, a: [1.5, -0.25, 1e300, Number.MAX_SAFE_INTEGER], ü: '🦀"\\', n: null }
  const sent = { ...value, ü: '🦀\u0000"\\' }
  const result = await rt.call('show', { ...sent, left: undefined, when: new Date(0) })
  assert.deepEqual(seen, { ...sent, when: '1970-01-01T00:00:00.000Z' })
  // Control characters are no text of a result.
  assert.equal(result.forLlm, JSON.stringify({ ...value, when: new Date(0) }))
  assert.deepEqual(result.structured, { ...value, when: '1970-01-01T00:00:00.000Z' })
})

test('what JSON cannot hold is refused with its place', async (t) => {
  const rt = await openRuntime(t)
  const cycle = {}
  cycle.cycle = cycle
  for (const [args, code, text] of [
    [{ a: () => 1 }, 'invalid_argument', /`args\.a` is a function/],
    [{ a: NaN }, 'invalid_argument', /NaN/],
    [{ a: -Infinity }, 'invalid_argument', /-Infinity/],
    [{ a: new Map() }, 'invalid_argument', /a Map/],
    [{ a: Object.create({ b: 1 }) }, 'invalid_argument', /`args\.a` is an object/],
    [new (class Point {})(), 'invalid_argument', /`args` is an object of the class Point/],
    [cycle, 'invalid_json', /refers to itself/],
    ['{"a":"\udc00"}', 'invalid_utf8', /surrogate/],
  ]) {
    await assert.rejects(rt.call('datetime', args), (error) => {
      assert.ok(error instanceof ToolkeepError)
      assert.equal(error.code, code)
      assert.match(error.message, text)
      return true
    })
  }
})

test("what a model's text may hold and JSON here does not is the model's mistake", async (t) => {
  const rt = await openRuntime(t)
  for (const [args, text] of [
    [{ a: [1, 2n ** 70n] }, /`args\.a\.1` is a bigint/],
    [{ a: '\ud800' }, /`args\.a` is text with half a surrogate pair/],
    [{ a: ['x', { b: '\udfff' }] }, /`args\.a\.1\.b`/],
    [{ '\ud800': 1 }, /surrogate/],
  ]) {
    const result = await rt.call('datetime', args)
    assert.deepEqual([result.isError, result.code], [true, 'invalid_arguments'])
    assert.match(result.forLlm, text)
  }
  const answers = await rt.callAll([
    { id: 'a', name: 'datetime', arguments: { timezone: '\ud800' } },
    { id: 'b', name: 'datetime', arguments: { timezone: 'UTC' } },
    { id: 'c', name: 'datetime', arguments: { timezone: 5n } },
  ])
  const codes = answers.map(({ id, result }) => [id, result.code])
  assert.deepEqual(codes, [['a', 'invalid_arguments'], ['b', null], ['c', 'invalid_arguments']])
  assert.match(answers[2].result.forLlm, /`requests\.2\.arguments\.timezone`/)
  const bad = [{ id: '\ud800', name: 'datetime', arguments: {} }]
  await assert.rejects(rt.callAll(bad), { code: 'invalid_utf8' })
  await assert.rejects(rt.agents.put({ id: 'a', settings: { n: 5n } }), /bigint/)
})

test('who calls is not read past what the object itself has', async (t) => {
  const rt = await openRuntime(t)
  const options = Object.create({ agent: 'a' })
  const place = (place) => ({
    code: 'invalid_argument',
    message: `\`${place}\` is not the object's own but its prototype's; give a plain object`,
  })
  await assert.rejects(rt.call('datetime', {}, options), place('options.agent'))
  await assert.rejects(rt.definitions('openai', options), place('options.agent'))
  await assert.rejects(
    rt.call('datetime', {}, { parent: options }),
    place('options.parent.agent'),
  )
  await rt.tool({ name: 'on', run: (_, context) => rt.call('datetime', {}, context) })
  assert.equal((await rt.call('on', {}, { agent: 'a' })).isError, false)
  assert.throws(() => rt.events.follow(options), { code: 'invalid_argument' })
})

test('objects of another realm and without a prototype are plain', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'show', run: (args) => args })
  const args = Object.assign(Object.create(null), { a: runInNewContext('({ b: 1 })') })
  assert.deepEqual((await rt.call('show', args)).structured, { a: { b: 1 } })
})

test('a lone surrogate in a name or an option is invalid_utf8', async (t) => {
  const rt = await openRuntime(t)
  await assert.rejects(rt.call('\ud800', {}), { code: 'invalid_utf8' })
  await assert.rejects(rt.call('datetime', {}, { agent: '\ud800' }), { code: 'invalid_utf8' })
  assert.throws(() => scrub('\ud800'), { code: 'invalid_utf8' })
})

test("an escaped lone surrogate in JSON text is the model's mistake", async (t) => {
  const rt = await openRuntime(t)
  assert.equal((await rt.call('datetime', '{"timezone":"\\ud800"}')).code, 'invalid_arguments')
})

test('64 MiB of arguments are refused, as a value and as text', async (t) => {
  const rt = await openRuntime(t)
  const large = 'x'.repeat(64 << 20)
  assert.equal((await rt.call('datetime', { timezone: large })).code, 'invalid_arguments')
  assert.equal((await rt.call('datetime', large)).code, 'invalid_arguments')
})

test('arguments nested 10,000 deep are refused, as a value and as text', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'show', run: (args) => args })
  let deep = 1
  for (let level = 0; level < 10_000; level++) deep = { deep }
  const value = await rt.call('show', deep)
  assert.equal(value.code, 'invalid_arguments')
  assert.match(value.forLlm, /nested deeper than 128/)
  const text = `${'{"deep":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  assert.equal((await rt.call('show', text)).code, 'invalid_arguments')
  await assert.rejects(rt.agents.put({ id: 'a', settings: deep }), { code: 'invalid_json' })
})

test('arguments nested as deep as allowed pass', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'show', run: (args) => args })
  let deep = 1
  for (let level = 0; level < 127; level++) deep = { deep }
  assert.deepEqual((await rt.call('show', deep)).structured, deep)
  assert.equal((await rt.call('show', { deep })).code, 'invalid_arguments')
  const answers = await rt.callAll([
    { id: 'a', name: 'show', arguments: deep },
    { id: 'b', name: 'show', arguments: { deep } },
  ])
  assert.deepEqual(answers[0].result.structured, deep)
  assert.equal(answers[1].result.code, 'invalid_arguments')
  const mixed = { deep: { deep }, other: 5n }
  assert.match((await rt.call('show', mixed)).forLlm, /bigint/)
})

test('nesting hidden behind toJSON is found, too', async (t) => {
  const rt = await openRuntime(t)
  let deep = 1
  for (let level = 0; level < 10_000; level++) deep = [deep]
  const result = await rt.call('datetime', { when: { toJSON: () => deep } })
  assert.equal(result.code, 'invalid_arguments')
})

test('a schema or a configuration that is nested too deeply is refused, not cut', async (t) => {
  const rt = await openRuntime(t)
  let deep = {}
  for (let level = 0; level < 200; level++) deep = { deep }
  const tool = { name: 'mine', parameters: { default: deep }, run: () => '' }
  const message = /nested deeper than 128/
  await assert.rejects(rt.tool(tool), { code: 'invalid_json', message })
  await assert.rejects(new Runtime({ groups: deep }).ready(), { code: 'invalid_config', message })
})

test('wrong options name the key', async (t) => {
  const itself = {}
  itself.parent = itself
  const rt = await openRuntime(t)
  for (const [options, text] of [
    [{ sesion: 'x' }, /`sesion`.*`session`/],
    [{ agent: 5 }, /agent/],
    [{ timeoutMs: 'soon' }, /timeout_ms/],
    [{ agent: '' }, /`agent`/],
    [{ timeoutMs: 0 }, /timeout_ms/],
    [{ parent: 'boss' }, /parent/],
    [{ parent: { agnet: 'boss' } }, /agnet/],
    [{ tools: 'read_file' }, /tools/],
    [{ signal: {} }, /`signal` must be an AbortSignal/],
    ['x', /options/],
  ]) {
    await assert.rejects(rt.call('datetime', {}, options), (error) => {
      assert.equal(error.code, 'invalid_argument')
      assert.match(error.message, text)
      return true
    })
  }
  await assert.rejects(rt.call(5, {}), { code: 'invalid_argument' })
  await assert.rejects(rt.call('datetime', {}, itself), { code: 'invalid_json' })
})

test('the calls of a turn are answered in order, and a failure loses no sibling', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'show', capabilities: ['read-only'], run: async (args) => args })
  const answers = await rt.callAll([
    { id: 'a', name: 'show', arguments: { n: 1 } },
    { id: 'b', name: 'nothing' },
    { id: 'c', name: 'show', arguments: '{"n":' },
    { id: 'd', name: 'show', arguments: '{"n":4}' },
  ])
  assert.deepEqual(
    answers.map(({ id, result }) => [id, result.code, result.structured]),
    [
      ['a', null, { n: 1 }],
      ['b', 'unknown_tool', null],
      ['c', 'invalid_arguments', null],
      ['d', null, { n: 4 }],
    ],
  )
  await assert.rejects(rt.callAll([{ name: 'x' }]), {
    code: 'invalid_argument',
    message: /`\[0\]|id/,
  })
  await assert.rejects(rt.callAll('x'), { code: 'invalid_argument' })
})

test('definitions, explanations and operations are plain data', async (t) => {
  const rt = await openRuntime(t, { policy: { deny: ['edit'] } })
  const names = (await rt.definitions('openai')).map((one) => one.function.name)
  assert.ok(names.includes('read_file') && !names.includes('edit'))
  await assert.rejects(rt.definitions('openia'), { code: 'invalid_argument', message: /`openai`/ })
  const why = await rt.explain('edit')
  assert.equal(why.allowed, false)
  assert.equal(why.code, 'denied_by_policy')
  await assert.rejects(rt.explain('nothing'), { code: 'not_found' })
  const agent = await rt.agents.put({ id: 'a', deny: ['read_file'] })
  assert.equal(agent.version, 1)
  assert.equal((await rt.call('read_file', { path: 'x' }, { agent: 'a' })).code, 'denied_by_policy')
  await assert.rejects(rt.agents.put({ id: 'a', dney: [] }), {
    code: 'invalid_argument',
    message: /`deny`/,
  })
  await assert.rejects(rt.invoke('agents.putt', {}), {
    code: 'unknown_operation',
    message: /agents\.put/,
  })
})

test('definitions are strict on demand, and tell what they leave out', async (t) => {
  const rt = await openRuntime(t)
  const [first] = await rt.definitions('openai', { strict: true })
  assert.equal(first.function.strict, true)
  let parameters = { type: 'string' }
  for (let level = 0; level < 14; level++) parameters = { type: 'object', properties: { a: parameters } }
  await rt.tool({ name: 'deep', parameters, run: (args) => args })
  const report = await rt.definitionsReport('openai', { strict: true, agent: 'helper' })
  assert.deepEqual([report.dialect, report.strict, report.deferred], ['openai', true, []])
  assert.ok(report.quarantined.some((one) => one.tool === 'deep'))
  assert.ok(report.tools.every((tool) => tool.function.name !== 'deep'))
  await assert.rejects(rt.definitions('openai', { strict: 1 }), { code: 'invalid_argument' })
  await assert.rejects(rt.definitions('openai', 'x'), { code: 'invalid_argument', message: /options/ })
})

test('an explanation has every field, in camelCase', async (t) => {
  const rt = await openRuntime(t, { policy: { deny: ['edit'] } })
  const { tool, allowed, wouldBeRefused, code, rule, asks, steps } = await rt.explain('edit')
  assert.deepEqual([tool, allowed, wouldBeRefused, asks], ['edit', false, false, null])
  assert.deepEqual([code, rule.name], ['denied_by_policy', 'policy.deny[0] = "edit"'])
  const { source, before, after } = steps.at(-1)
  assert.deepEqual([source, before, after], ['policy.deny', true, false])
})

test('secrets are masked, in results and by the free function', async (t) => {
  const rt = await openRuntime(t)
  const secret = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`
  await rt.tool({ name: 'leak', run: () => ({ text: secret }) })
  assert.ok(!JSON.stringify(await rt.call('leak')).includes(secret))
  assert.match(scrub(`key ${secret}`), /^key \[REDACTED:github-pat:[a-z2-7]{8}\]$/)
  assert.throws(() => scrub(5), { code: 'invalid_argument' })
  assert.equal(version, '0.1.0')
})
