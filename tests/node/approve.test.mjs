// The host's `approve` handler.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { Runtime } from '../../bindings/node/index.mjs'
import { never } from './fixture.mjs'

async function opened(t, approve, approval = { external: false }) {
  const rt = new Runtime({ approval }, { approve })
  t.after(() => rt.close())
  await rt.tool({
    name: 'pay',
    description: 'Pays.',
    needs_approval: true,
    run: ({ amount }) => ({ paid: amount }),
  })
  return rt
}

const pay = (rt, options) => rt.call('pay', { amount: 5 }, options)

function deferred() {
  const parts = {}
  parts.promise = new Promise((resolve) => (parts.resolve = resolve))
  return parts
}

async function waiting(rt) {
  for (;;) {
    const [first] = await rt.approvals.list({ state: 'pending' })
    if (first !== undefined) return first
    await sleep(10)
  }
}

test('a request says what is to be decided', async (t) => {
  const asked = []
  const rt = await opened(t, (request, { agent, signal }) => {
    asked.push({ ...request, who: agent, aborted: signal.aborted })
    return true
  })
  const result = await pay(rt, { agent: 'a', user: 'u', session: 's' })
  assert.equal(result.isError, false, result.forLlm)
  assert.deepEqual(result.structured, { paid: 5 })
  const [{ id, reasons, expiresAtMs, ...rest }] = asked
  assert.deepEqual(rest, {
    tool: 'pay',
    description: 'Pays.',
    arguments: { amount: 5 },
    plan: null,
    proposals: [],
    agent: 'a',
    user: 'u',
    session: 's',
    who: 'a',
    aborted: false,
  })
  assert.equal(reasons[0].rule, 'tool.needs_approval')
  assert.ok(expiresAtMs > Date.now())
  assert.equal(result.approval, id)
  assert.equal((await rt.approvals.get({ id })).state, 'consumed')
})

for (const [answer, code, text] of [
  [true, null, '5'],
  [{ allow: true, by: 'maria' }, null, '5'],
  [Promise.resolve({ allow: true, edited: { amount: 1 } }), null, '(`amount`)'],
  [false, 'approval_denied', 'No reason was given.'],
  [{ allow: false, reason: 'too much' }, 'approval_denied', 'too much'],
  [undefined, 'approval_denied', 'nobody can be asked'],
  [null, 'approval_denied', 'nobody can be asked'],
  [1, 'approval_denied', 'asking for it failed'],
  ['yes', 'approval_denied', 'asking for it failed'],
  [{ alow: true }, 'approval_denied', 'asking for it failed'],
  [10n, 'approval_denied', 'asking for it failed'],
]) {
  test(`only a clear yes is one: ${typeof answer} ${text}`, async (t) => {
    const rt = await opened(t, () => answer)
    const result = await pay(rt)
    assert.equal(result.code, code)
    assert.ok(result.forLlm.includes(text), result.forLlm)
  })
}

test('what it throws denies, and only the host learns of it', async (t) => {
  const rt = await opened(t, async () => {
    throw new Error('the prompt broke')
  })
  const { code, forLlm, approval } = await pay(rt)
  assert.equal(code, 'approval_denied')
  assert.ok(!forLlm.includes('prompt'), forLlm)
  assert.match((await rt.approvals.get({ id: approval })).reason, /the prompt broke/)
})

test('a cancelled call takes its request back and tells the handler', async (t) => {
  const cancelled = deferred()
  const asked = deferred()
  const rt = await opened(t, ({ id }, { signal }) => {
    signal.addEventListener('abort', cancelled.resolve)
    asked.resolve(id)
    return never()
  })
  const controller = new AbortController()
  const call = pay(rt, { signal: controller.signal })
  const id = await asked.promise
  controller.abort()
  await assert.rejects(call, { name: 'AbortError' })
  await cancelled.promise
  while ((await rt.approvals.get({ id })).state === 'pending') await sleep(10)
  assert.equal((await rt.approvals.get({ id })).state, 'cancelled')
})

test('a person elsewhere may be faster', async (t) => {
  const rt = await opened(t, never, {})
  const call = pay(rt)
  const { id } = await waiting(rt)
  await rt.approvals.decide({ id, decision: 'deny', by: 'maria', reason: 'no' })
  assert.equal((await call).code, 'approval_denied')
})

test('a returned call uses its decision later', async (t) => {
  const rt = await opened(t, undefined, { mode: 'return' })
  const first = await pay(rt)
  assert.equal(first.code, 'approval_pending')
  await rt.approvals.decide({ id: first.approval, decision: 'allow', by: 'maria' })
  assert.equal((await pay(rt)).code, null)
  assert.equal((await pay(rt)).code, 'approval_pending')
})

test('what is no function is refused', async () => {
  await assert.rejects(new Runtime({}, { approve: 'yes' }).ready(), {
    code: 'invalid_argument',
    message: /`approve` is a string/,
  })
})

test("an answer that is no JSON is called the handler's and not the tool's", async (t) => {
  const rt = await opened(t, () => ({ allow: true, by: 10n }))
  const { approval } = await pay(rt)
  const { reason } = await rt.approvals.get({ id: approval })
  assert.match(reason, /The approve handler returned what is not JSON: `answer\.by` is a bigint/)
})

test('a handler is set later and taken away', async (t) => {
  const rt = await opened(t)
  assert.equal((await pay(rt)).code, 'approval_denied')
  await rt.setHandler('approve', ({ arguments: { amount } }) => amount === 5)
  assert.deepEqual((await pay(rt)).structured, { paid: 5 })
  await rt.setHandler('approve', null)
  assert.equal((await pay(rt)).code, 'approval_denied')
  await assert.rejects(
    rt.setHandler('aprove', () => true),
    { code: 'invalid_argument', message: /Did you mean `approve`/ },
  )
  await assert.rejects(rt.setHandler('approve', 'yes'), { code: 'invalid_argument' })
  await rt.close()
  await assert.rejects(
    rt.setHandler('approve', () => true),
    { code: 'closed' },
  )
})
