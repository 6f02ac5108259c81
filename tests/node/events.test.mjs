// Following events: the async iterator, and how it ends.

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { Runtime, ToolkeepError } from '../../bindings/node/index.mjs'
import { emptyFolder, openRuntime } from './fixture.mjs'

async function called(rt, times = 1, options = { session: 's' }) {
  for (let n = 0; n < times; n++) {
    assert.equal((await rt.call('datetime', {}, options)).code, null)
  }
}

async function taken(stream, count) {
  const places = []
  while (places.length < count) places.push((await stream.next()).value.seq)
  return places
}

const END = { done: true, value: undefined }

test('events that are there and those to come are given in order', async (t) => {
  const rt = await openRuntime(t)
  await called(rt, 2)
  const seen = []
  const later = sleep(150).then(() => called(rt, 1, { session: 'late' }))
  const stream = rt.events.follow()
  for await (const event of stream) {
    seen.push([event.seq, event.kind])
    if (event.subject === 'late') break
  }
  await later
  assert.deepEqual(
    seen,
    [1, 2, 3].map((seq) => [seq, 'call.completed']),
  )
  // Leaving the loop ends the stream.
  assert.deepEqual(await stream.next(), END)
  assert.deepEqual([stream.cursor, stream.dropped], [3, 0])
})

test('a cursor goes on after the store was opened again', async (t) => {
  const store = `sqlite:${path.join(await emptyFolder(t), 'a.db')}`
  const first = new Runtime({ store })
  await called(first, 4)
  const begun = first.events.follow()
  assert.deepEqual(await taken(begun, 2), [1, 2])
  await first.close()
  assert.deepEqual(await begun.next(), END)
  const rt = await openRuntime(t, { store })
  await called(rt)
  const stream = rt.events.follow({ after: begun.cursor })
  assert.equal(stream.cursor, 2)
  assert.deepEqual(await taken(stream, 3), [3, 4, 5])
  stream.close()
})

test('a reader overtaken by pruning sees how much it missed', async (t) => {
  const rt = await openRuntime(t)
  await called(rt, 10)
  assert.deepEqual(await rt.events.prune({ keep: 3 }), { pruned: 7 })
  const stream = rt.events.follow({ after: 2 })
  assert.deepEqual(await taken(stream, 3), [8, 9, 10])
  assert.deepEqual([stream.cursor, stream.dropped], [10, 5])
})

test('tenants, subjects and kinds are chosen', async (t) => {
  const rt = await openRuntime(t)
  await called(rt, 2, { session: 'other' })
  await called(rt, 1, { session: 'mine' })
  await called(rt, 1, { session: 'mine', tenant: 'elsewhere' })
  await rt.agents.put({ id: 'mine' })
  const first = async (options) => (await rt.events.follow(options).next()).value
  const mine = await first({ subject: 'mine', kinds: ['call.'] })
  assert.deepEqual([mine.subject, mine.kind], ['mine', 'call.completed'])
  assert.equal((await first({ kinds: ['agent.changed'] })).subject, 'mine')
  assert.equal((await first({ tenant: 'elsewhere' })).tenant, 'elsewhere')
  const fromNowOn = rt.events.follow({ after: await rt.events.last() })
  await called(rt, 1, { session: 'new' })
  assert.equal((await fromNowOn.next()).value.subject, 'new')
})

test('mistakes reject, and the stream can be asked again', async (t) => {
  const rt = await openRuntime(t)
  await called(rt)
  assert.equal(await rt.events.last(), 1)
  for (const bad of [{ after: -1 }, { tenant: '' }, { kinds: 'call.' }, { afer: 1 }]) {
    await assert.rejects(rt.events.follow(bad).next(), { code: 'invalid_argument' })
  }
  assert.throws(() => rt.events.follow({ signal: {} }), { code: 'invalid_argument' })
  assert.throws(() => rt.events.follow('all'), { code: 'invalid_argument' })
  const stream = rt.events.follow({ after: 99 })
  for (let n = 0; n < 2; n++) {
    await assert.rejects(stream.next(), (error) => {
      assert.ok(error instanceof ToolkeepError)
      assert.equal(error.code, 'invalid_argument')
      assert.match(error.message, /another store/)
      return true
    })
  }
})

test('several streams, and several readers of one', async (t) => {
  const rt = await openRuntime(t)
  const streams = [1, 2, 3].map(() => rt.events.follow())
  const readers = streams.map((stream) => taken(stream, 30))
  const shared = rt.events.follow()
  const parts = [1, 2, 3].map(() => taken(shared, 10))
  await Promise.all([called(rt, 15), called(rt, 15)])
  const all = Array.from({ length: 30 }, (_, index) => index + 1)
  assert.deepEqual(await Promise.all(readers), [all, all, all])
  const places = (await Promise.all(parts)).flat()
  assert.deepEqual(
    places.sort((a, b) => a - b),
    all,
  )
})

test('closing the stream or the runtime ends a wait', async (t) => {
  const rt = await openRuntime(t)
  const [one, two, three] = [1, 2, 3].map(() => rt.events.follow())
  const waits = [one, two, three].map((stream) => stream.next())
  await sleep(50)
  one.close()
  assert.deepEqual(await waits[0], END)
  assert.deepEqual(await two.return('x'), { done: true, value: 'x' })
  assert.deepEqual(await waits[1], END)
  await rt.close()
  assert.deepEqual(await waits[2], END)
  three.close()
  await assert.rejects(rt.events.follow().next(), { code: 'closed' })
})

test('a signal ends a stream as it ends a call, and leaves no listener', async (t) => {
  const rt = await openRuntime(t)
  const { signal, abort } = (() => {
    const controller = new AbortController()
    return { signal: controller.signal, abort: (why) => controller.abort(why) }
  })()
  await called(rt)
  const stream = rt.events.follow({ signal })
  assert.deepEqual(await taken(stream, 1), [1])
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  const wait = stream.next()
  setTimeout(abort, 30, 'enough')
  const isAborted = (error) => {
    assert.deepEqual([error.name, error.code, error.cause], ['AbortError', 'cancelled', 'enough'])
    return true
  }
  await assert.rejects(wait, isAborted)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  await assert.rejects(rt.events.follow({ signal }).next(), isAborted)
})

test('another runtime on the same file is followed', async (t) => {
  const store = `sqlite:${path.join(await emptyFolder(t), 'a.db')}`
  const reader = await openRuntime(t, { store })
  const writer = await openRuntime(t, { store })
  const wait = reader.events.follow().next()
  await sleep(400)
  await writer.agents.put({ id: 'a' })
  const { value } = await wait
  assert.deepEqual([value.seq, value.kind, value.subject], [1, 'agent.changed', 'a'])
})
