import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { ToolError } from '../../bindings/node/index.mjs'
import { never, openRuntime } from './fixture.mjs'

test('sync and async functions are tools', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'sync', run: ({ a }) => `got ${a}` })
  await rt.tool({ name: 'async', run: async ({ a }) => sleep(5, `got ${a}`) })
  assert.equal((await rt.call('sync', { a: 1 })).forLlm, 'got 1')
  assert.equal((await rt.call('async', { a: 2 })).forLlm, 'got 2')
})

test('`run` may be a method', async (t) => {
  class Counter {
    name = 'count'
    #count = 0
    run() {
      return ++this.#count
    }
  }
  const rt = await openRuntime(t)
  await rt.tool(new Counter())
  await rt.call('count')
  assert.equal((await rt.call('count')).structured, 2)
})

test('what a tool returns becomes its result', async (t) => {
  const rt = await openRuntime(t)
  const results = [undefined, null, 'text', 5, true, [1, undefined], { a: undefined }]
  await rt.tool({ name: 'give', run: ({ index }) => results[index] })
  const seen = []
  for (const index of results.keys()) seen.push((await rt.call('give', { index })).forLlm)
  assert.deepEqual(seen, ['', '', 'text', '5', 'true', '[1,null]', '{}'])
})

test('a whole result is taken in camelCase, also one that another call gave', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'whole', run: () => ({ forLlm: 'a', forUser: 'b', silent: true }) })
  await rt.tool({ name: 'outer', run: () => rt.call('whole') })
  for (const name of ['whole', 'outer']) {
    const { forLlm, forUser, silent } = await rt.call(name)
    assert.deepEqual({ forLlm, forUser, silent }, { forLlm: 'a', forUser: 'b', silent: true })
  }
  await rt.tool({ name: 'bad', run: () => ({ forLlm: 5 }) })
  assert.equal((await rt.call('bad')).code, 'invalid_result')
})

test('what JSON cannot hold is an invalid result that says what it was', async (t) => {
  const cycle = {}
  cycle.inside = [cycle]
  let deep = 1
  for (let level = 0; level < 10_000; level++) deep = [deep]
  const results = [
    [() => 1, /a function/],
    [{ a: [1n] }, /a bigint in `a\.0`/],
    [Symbol('x'), /a symbol/],
    [NaN, /NaN/],
    [{ n: Infinity }, /Infinity in `n`/],
    [new Set(), /a Set/],
    [new Error('x'), /an? Error/],
    [cycle, /refers to itself/],
    [deep, /nested deeper than 128/],
    ['\ud800', /surrogate/],
    [{ toJSON: () => 5n }, /a bigint/],
  ]
  const rt = await openRuntime(t)
  await rt.tool({ name: 'give', run: ({ index }) => results[index][0] })
  for (const [index, [, text]] of results.entries()) {
    const result = await rt.call('give', { index })
    assert.equal(result.code, 'invalid_result', String(text))
    assert.match(result.forLlm, text)
  }
})

test('whatever a tool throws, now or later, is its failure with that text', async (t) => {
  class Odd extends Error {}
  const bare = Object.create(null)
  const throws = [
    [new Error('the disk is gone'), 'the disk is gone'],
    [new Odd(''), 'Odd'],
    [new TypeError(), 'TypeError'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ message: 'like an error' }, 'like an error'],
    [{ a: 1 }, 'The tool threw a value that is no Error: {"a":1}'],
    [{ a: 1n }, 'The tool threw a value that is no Error.'],
    [bare, 'The tool threw something that has no text.'],
    [new Error('half \ud800'), 'half \ufffd'],
  ]
  const rt = await openRuntime(t)
  const sync = ({ index }) => {
    throw throws[index][0]
  }
  await rt.tool({ name: 'sync', run: sync })
  await rt.tool({ name: 'async', run: async (args) => sync(args) })
  for (const [index, [, text]] of throws.entries()) {
    for (const name of ['sync', 'async']) {
      const result = await rt.call(name, { index })
      assert.deepEqual([result.isError, result.code, result.forLlm], [true, 'tool_failed', text])
    }
  }
})

test('a ToolError with a code that there is not is refused where it is made', () => {
  assert.throws(() => new ToolError('no', { code: 'conflcit' }), {
    name: 'ToolkeepError',
    code: 'invalid_argument',
    message: '`code` of a ToolError: there is no code `conflcit`, did you mean `conflict`?',
  })
  assert.throws(() => new ToolError('no', { code: 5 }), { code: 'invalid_argument' })
})

test('what a description has by its prototype is not left out in silence', async (t) => {
  class Careful {
    name = 'careful'
    get needsApproval() {
      return true
    }
    run() {}
  }
  const rt = await openRuntime(t)
  await assert.rejects(rt.tool(new Careful()), {
    code: 'invalid_argument',
    message: /`tool\.needsApproval` is not the object's own/,
  })
})

test('a ToolError chooses its code among those that a model is told', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({
    name: 'refuse',
    run: ({ code }) => {
      throw new ToolError('no', code === undefined ? undefined : { code })
    },
  })
  for (const [code, seen] of [
    ['conflict', 'conflict'],
    ['not_found', 'not_found'],
    ['closed', 'tool_failed'],
    [undefined, 'tool_failed'],
  ]) {
    const result = await rt.call('refuse', { code })
    assert.deepEqual([result.code, result.forLlm], [seen, 'no'])
  }
})

test('a tool sees who called', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'who', run: (_, { signal, ...caller }) => caller })
  const options = {
    ...{ tenant: 't', agent: 'a', session: 's', peerKind: 'group', channelType: 'telegram' },
    ...{ depth: 2, timeoutMs: 900, tools: ['who'] },
  }
  const { structured } = await rt.call('who', {}, options)
  assert.deepEqual(structured, {
    ...{ tenant: 't', agent: 'a', user: null, sender: null, role: null, channel: null, chat: null },
    ...{
      peerKind: 'group',
      session: 's',
      provider: null,
      model: null,
      workspace: null,
      team: null,
    },
    ...{ run: null, depth: 2, timeoutMs: 900 },
    ...{ readRoots: [], writeRoots: [], denyPaths: [], agentType: null },
    ...{ teamWorkspace: null, teamRole: null },
    ...{ channelType: 'telegram', parent: null, tools: ['who'] },
  })
})

test('a tool names its own context as the parent of a call', async (t) => {
  const rt = await openRuntime(t)
  const seen = []
  await rt.tool({ name: 'look', run: (_, context) => void seen.push(context) })
  await rt.tool({
    name: 'delegate',
    run: (_, context) => rt.call('look', {}, { agent: 'child', parent: context }),
  })
  await rt.call('delegate', {}, { agent: 'boss', peerKind: 'direct' })
  await rt.call('look', {}, { parent: { agent: 'boss', timeoutMs: 5, user: null } })
  const [child, other] = seen
  assert.deepEqual([child.agent, child.depth], ['child', 1])
  assert.deepEqual([child.parent.agent, child.parent.peerKind], ['boss', 'direct'])
  assert.equal(child.parent.parent, null)
  assert.equal(other.parent.timeoutMs, 5)
})

test('everything that can be said of a tool is taken', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({
    name: 'copy',
    group: 'files',
    touches: [{ argument: 'to', resource: 'path', effect: 'write' }],
    channels: ['cli'],
    argumentAliases: { to: ['target'] },
    polling: true,
    needsApproval: false,
    taints: ['private'],
    action: 'patch',
    originalName: 'copy-file',
    shellCommand: 'from',
    shellCwd: 'to',
    shellStdin: 'from',
    run: () => '',
  })
  const { group } = (await rt.registry.list()).find((tool) => tool.name === 'copy')
  assert.equal(group, 'files')
})

test('AsyncLocalStorage of the caller is kept in its tools', async (t) => {
  const rt = await openRuntime(t)
  const request = new AsyncLocalStorage()
  const run = async () => {
    await sleep(1)
    return String(request.getStore())
  }
  await rt.tool({ name: 'inner', capabilities: ['read-only'], run })
  await rt.tool({ name: 'outer', capabilities: ['read-only'], run: () => rt.call('inner') })
  const seen = Array.from({ length: 20 }, (_, n) =>
    request.run(n, async () => {
      const { forLlm } = await rt.call('outer')
      const [answer] = await rt.callAll([{ id: 'x', name: 'inner' }])
      return [forLlm, answer.result.forLlm, String(request.getStore())]
    }),
  )
  assert.deepEqual(
    await Promise.all(seen),
    Array.from({ length: 20 }, (_, n) => Array(3).fill(String(n))),
  )
  assert.equal((await rt.call('inner')).forLlm, 'undefined')
})

test('50 async tools run at once', async (t) => {
  const rt = await openRuntime(t)
  let running = 0
  let most = 0
  await rt.tool({
    name: 'wait',
    run: async ({ n }) => {
      most = Math.max(most, ++running)
      while (most < 50) await sleep(1)
      running -= 1
      return n
    },
  })
  const calls = Array.from({ length: 50 }, (_, n) => rt.call('wait', { n }))
  const results = await Promise.all(calls)
  assert.deepEqual(
    results.map((one) => one.structured),
    Array.from({ length: 50 }, (_, n) => n),
  )
})

test('a tool that never answers is ended by its deadline and told so', async (t) => {
  const rt = await openRuntime(t)
  const fired = resolvers()
  await rt.tool({
    name: 'hang',
    timeoutMs: 30,
    run: (_, { signal }) => {
      signal.addEventListener('abort', () => fired.resolve(signal.reason))
      return never()
    },
  })
  const result = await rt.call('hang')
  assert.equal(result.code, 'timeout')
  const reason = await fired.promise
  assert.deepEqual([reason.name, reason.code], ['AbortError', 'cancelled'])
})

test('a signal that is first asked for after the end has fired already', async (t) => {
  const rt = await openRuntime(t)
  const late = resolvers()
  await rt.tool({
    name: 'slow',
    timeoutMs: 20,
    run: async (_, context) => {
      await sleep(80)
      late.resolve(context.signal.aborted)
      return 'late'
    },
  })
  assert.equal((await rt.call('slow')).code, 'timeout')
  assert.equal(await late.promise, true)
  await sleep(10)
  assert.equal((await rt.call('datetime')).isError, false)
})

test('a tool that cannot be registered says why', async (t) => {
  const rt = await openRuntime(t)
  const run = () => ''
  for (const [tool, code, text] of [
    [{ name: 'edit', run }, 'name_taken', /`edit`/],
    [{ name: 'a b', run }, 'invalid_argument', /a b/],
    [{ name: 'x' }, 'invalid_argument', /`run`/],
    [{ run }, 'invalid_argument', /name/],
    [{ name: 'x', run, timeoutMS: 5 }, 'invalid_argument', /timeoutMS/],
    [{ name: 'x', run, capabilities: ['readonly'] }, 'invalid_argument', /read-only/],
    [{ name: 'x', run, taints: ['secret'] }, 'invalid_argument', /private/],
    [{ name: 'x', run, action: 'patches' }, 'invalid_argument', /finalize/],
    [{ name: 'x', run, argumentAliases: { a: 'b' } }, 'invalid_argument', /argument_aliases/],
    [{ name: 'x', run, needsApproval: 1 }, 'invalid_argument', /needs_approval/],
    [{ name: 'x', run, timeoutMs: 0 }, 'invalid_argument', /timeout_ms/],
    [{ name: 'x', run, parameters: { type: 5 } }, 'invalid_argument', /`x`/],
    [{ name: 'x', run, parameters: { default: 5n } }, 'invalid_argument', /bigint/],
    [undefined, 'invalid_argument', /object/],
  ]) {
    await assert.rejects(rt.tool(tool), (error) => {
      assert.equal(error.code, code)
      assert.match(error.message, text)
      return true
    })
  }
})

test('a tool takes the place of another only when asked to', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'greet', run: () => 'old' })
  await rt.registry.alias({ alias: 'hello', name: 'greet' })
  const greet = { name: 'greet', run: () => 'new' }
  await assert.rejects(rt.tool(greet), { code: 'name_taken' })
  await assert.rejects(rt.tool(greet, { replace: false }), { code: 'name_taken' })
  assert.equal((await rt.call('greet')).forLlm, 'old')
  await rt.tool(greet, { replace: true })
  for (const name of ['greet', 'hello']) assert.equal((await rt.call(name)).forLlm, 'new')
  for (const [options, text] of [
    [{ replace: 1 }, /`replace`/],
    [{ replaces: true }, /`replaces`/],
    [5, /options/],
  ])
    await assert.rejects(rt.tool(greet, options), { code: 'invalid_argument', message: text })
  await rt.unregister('hello')
  assert.equal((await rt.call('greet')).code, 'unknown_tool')
})

test('a tool is gone once it is unregistered, and its name is free', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'mine', run: () => 1 })
  await rt.registry.alias({ alias: 'Mine', name: 'mine' })
  await rt.unregister('Mine')
  assert.equal((await rt.call('mine')).code, 'unknown_tool')
  await rt.tool({ name: 'mine', run: () => 2 })
  assert.equal((await rt.call('mine')).structured, 2)
  await assert.rejects(rt.unregister('nothing'), { code: 'not_found' })
})

test('a call that runs goes on when its tool is unregistered', async (t) => {
  const rt = await openRuntime(t)
  await rt.tool({ name: 'slow', run: () => sleep(40, 'done') })
  const call = rt.call('slow')
  await sleep(10)
  await rt.unregister('slow')
  assert.equal((await call).forLlm, 'done')
})

test('a tool that is not awaited when it is added is there for the next call', async (t) => {
  const rt = await openRuntime(t)
  rt.tool({ name: 'mine', run: () => 'here' })
  assert.equal((await rt.call('mine')).forLlm, 'here')
})

function resolvers() {
  const made = {}
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}
