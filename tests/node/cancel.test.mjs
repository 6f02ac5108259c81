import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'

import { ToolkeepError } from '../../bindings/node/index.mjs'
import { never, openRuntime } from './fixture.mjs'

/** A runtime with a tool that waits for its own signal; `seen` gets what each signal said. */
async function waiting(t) {
  const rt = await openRuntime(t)
  const seen = []
  const wait = (_, { signal }) => {
    signal.addEventListener('abort', () => seen.push(signal.reason.code))
    return never()
  }
  await rt.tool({ name: 'wait', capabilities: ['read-only'], run: wait })
  return { rt, seen }
}

function isAborted(cause) {
  return (error) => {
    assert.ok(error instanceof ToolkeepError)
    assert.deepEqual([error.name, error.code], ['AbortError', 'cancelled'])
    assert.equal(error.cause, cause)
    return true
  }
}

test('an aborted call rejects with the reason, and its tool is told', async (t) => {
  const { rt, seen } = await waiting(t)
  const controller = new AbortController()
  const call = rt.call('wait', {}, { signal: controller.signal })
  setTimeout(() => controller.abort('enough'), 20)
  await assert.rejects(call, isAborted('enough'))
  await new Promise(setImmediate)
  assert.deepEqual(seen, ['cancelled'])
})

test('a signal that has fired already stops the call before it begins', async (t) => {
  const { rt } = await waiting(t)
  const signal = AbortSignal.abort('never mind')
  await assert.rejects(rt.call('wait', {}, { signal }), isAborted('never mind'))
  await assert.rejects(rt.callAll([], { signal }), isAborted('never mind'))
  await assert.rejects(rt.definitions('openai', { signal }), isAborted('never mind'))
  const rows = await rt.audit.query({})
  assert.equal(rows.length, 0)
})

test('AbortSignal.timeout works and gives its reason as the cause', async (t) => {
  const { rt } = await waiting(t)
  const signal = AbortSignal.timeout(20)
  await assert.rejects(rt.call('wait', {}, { signal }), (error) => {
    assert.equal(error.cause.name, 'TimeoutError')
    return isAborted(signal.reason)(error)
  })
})

test('an aborted turn rejects, and its tools are told', async (t) => {
  const { rt, seen } = await waiting(t)
  const signal = AbortSignal.timeout(20)
  const requests = [1, 2, 3].map((n) => ({ id: String(n), name: 'wait' }))
  await assert.rejects(rt.callAll(requests, { signal }), (error) => isAborted(signal.reason)(error))
  await new Promise(setImmediate)
  assert.deepEqual(seen, Array(3).fill('cancelled'))
})

test('one signal for many calls keeps no listener', async (t) => {
  const { rt } = await waiting(t)
  const controller = new AbortController()
  const { signal } = controller
  for (let n = 0; n < 50; n++) await rt.call('datetime', {}, { signal })
  await rt.call('nothing', {}, { signal })
  await assert.rejects(rt.call('datetime', {}, { signal, agent: '' }), { code: 'invalid_argument' })
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  const warned = []
  const hear = (warning) => warned.push(warning.name)
  process.on('warning', hear)
  t.after(() => process.off('warning', hear))
  const calls = Array.from({ length: 30 }, () => rt.call('wait', {}, { signal }))
  setTimeout(() => controller.abort(), 20)
  const ended = await Promise.allSettled(calls)
  assert.deepEqual([...new Set(ended.map((one) => one.reason?.code))], ['cancelled'])
  assert.deepEqual(warned, [])
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('an answer that comes after the abort is ignored', async (t) => {
  const rt = await openRuntime(t)
  let finish
  await rt.tool({ name: 'late', run: () => new Promise((resolve) => (finish = resolve)) })
  await assert.rejects(rt.call('late', {}, { signal: AbortSignal.timeout(20) }), {
    code: 'cancelled',
  })
  finish('too late')
  await new Promise(setImmediate)
  assert.equal((await rt.call('datetime')).isError, false)
})

test('closing ends the calls that run', async (t) => {
  const { rt, seen } = await waiting(t)
  const call = rt.call('wait')
  setTimeout(() => rt.close(), 20)
  await assert.rejects(call, { code: 'closed' })
  await new Promise(setImmediate)
  assert.deepEqual(seen, ['cancelled'])
})
