// What a whole process does: how it ends, its worker threads, its memory.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

import { Runtime } from '../../bindings/node/index.mjs'
import { emptyFolder, openRuntime } from './fixture.mjs'

const toolkeep = JSON.stringify(new URL('../../bindings/node/index.mjs', import.meta.url).href)
const HEAD = `import { Runtime } from ${toolkeep};\n`

/** Runs a program to its end: `{ code, out, err }`. One that hangs is killed. */
async function program(text, { flags = [], timeout = 20_000 } = {}) {
  const child = spawn(process.execPath, [...flags, '--input-type=module', '-e', HEAD + text], {
    timeout,
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (data) => (said.out += data))
  child.stderr.on('data', (data) => (said.err += data))
  const code = await new Promise((resolve) =>
    child.on('close', (status, signal) => resolve(status ?? signal)),
  )
  return { ...said, code }
}

test('a process with an open runtime and tools exits by itself, and keeps its records', async (t) => {
  const store = `sqlite:${path.join(await emptyFolder(t), 'kept.db')}`
  const ended = await program(`
    const rt = new Runtime({ store: ${JSON.stringify(store)} });
    await rt.tool({ name: 'mine', run: () => 'x' });
    console.log((await rt.call('mine')).forLlm);
  `)
  assert.deepEqual([ended.code, ended.out, ended.err], [0, 'x\n', ''])
  const rt = await openRuntime(t, { store })
  assert.deepEqual(
    (await rt.audit.query({})).map((row) => row.tool),
    ['mine'],
  )
})

test('a wait for an event keeps the process alive, an idle stream does not', async () => {
  const waits = await program(`
    const rt = new Runtime();
    const stream = rt.events.follow();
    setTimeout(() => rt.agents.put({ id: 'a' }), 300).unref();
    rt.agents.list({}).then(() => stream.next()).then(({ value }) => console.log(value.kind));
  `)
  assert.deepEqual([waits.code, waits.out, waits.err], [0, 'agent.changed\n', ''])
  const idle = await program(`
    const rt = new Runtime();
    await rt.agents.put({ id: 'a' });
    const stream = rt.events.follow();
    console.log((await stream.next()).value.seq);
  `)
  assert.deepEqual([idle.code, idle.out, idle.err], [0, '1\n', ''])
  const exits = await program(`
    const rt = new Runtime();
    rt.events.follow().next();
    setTimeout(() => process.exit(3), 200);
  `)
  assert.deepEqual([exits.code, exits.out, exits.err], [3, '', ''])
})

test('a pending call keeps the process alive', async () => {
  const ended = await program(`
    const rt = new Runtime();
    rt.tool({ name: 'hang', run: () => new Promise(() => {}) });
    rt.call('hang', {}, { timeoutMs: 300 }).then((result) => console.log(result.code));
  `)
  assert.deepEqual([ended.code, ended.out, ended.err], [0, 'timeout\n', ''])
})

test('process.exit with a pending call ends at once, and what was done is recorded', async (t) => {
  const store = `sqlite:${path.join(await emptyFolder(t), 'kept.db')}`
  const ended = await program(`
    const rt = new Runtime({ store: ${JSON.stringify(store)} });
    await rt.tool({ name: 'hang', run: () => new Promise(() => {}) });
    rt.call('hang');
    await rt.call('datetime');
    process.exit(7);
  `)
  assert.deepEqual([ended.code, ended.err], [7, ''])
  const rt = await openRuntime(t, { store })
  const tools = (await rt.audit.query({})).map((row) => row.tool)
  assert.ok(tools.includes('datetime'), String(tools))
})

test('a runtime that could not open ends nothing and keeps nothing', async () => {
  const ended = await program(
    "new Runtime({ polcy: {} }); new Runtime({ store: 'x:' }).tool({ name: 'a', run() {} });",
  )
  assert.deepEqual([ended.code, ended.out, ended.err], [0, '', ''])
})

test('an exception in the host leaves with its own error', async () => {
  const ended = await program(
    "const rt = new Runtime(); await rt.call('datetime'); throw new Error('mine');",
  )
  assert.equal(ended.code, 1)
  assert.match(ended.err, /Error: mine/)
})

/** A worker whose program is a module. */
function moduleWorker(text) {
  const source = HEAD + "import { parentPort } from 'node:worker_threads';\n" + text
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
}

test('worker threads have runtimes of their own', async () => {
  const text = `
    const rt = new Runtime();
    await rt.tool({ name: 'mine', run: async () => 'from a worker' });
    parentPort.postMessage((await rt.call('mine')).forLlm);
  `
  const said = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const thread = moduleWorker(text)
      const message = new Promise((resolve, reject) =>
        thread.on('message', resolve).on('error', reject),
      )
      const exit = new Promise((resolve) => thread.on('exit', resolve))
      return [await message, await exit]
    }),
  )
  assert.deepEqual(said, Array(4).fill(['from a worker', 0]))
})

test('a worker that is terminated in the middle of a call harms nobody', async (t) => {
  const rt = await openRuntime(t)
  const text = `
    const rt = new Runtime();
    await rt.tool({ name: 'hang', run: () => { parentPort.postMessage('running'); return new Promise(() => {}); } });
    for (let n = 0; n < 20; n++) rt.call('hang', {}, { timeoutMs: 200 });
  `
  for (let round = 0; round < 5; round++) {
    const thread = moduleWorker(text)
    await new Promise((resolve, reject) => thread.once('message', resolve).on('error', reject))
    await thread.terminate()
  }
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal((await rt.call('datetime')).isError, false)
})

const CALLS = process.env.TOOLKEEP_SOAK ? 200_000 : 20_000

test(`memory stays flat over ${CALLS} calls`, { timeout: 600_000 }, async (t) => {
  const store = `sqlite:${path.join(await emptyFolder(t), 'ledger.db')}`
  const ended = await program(
    `
    const rt = new Runtime({ store: ${JSON.stringify(store)} });
    await rt.tool({ name: 'mine', run: async (args, { signal }) => ({ ...args, aborted: signal.aborted }) });
    const { signal } = new AbortController();
    const heap = () => (gc(), gc(), process.memoryUsage());
    async function calls(count) {
      for (let n = 0; n < count; n += 10) {
        const ten = Array.from({ length: 10 }, (_, i) => rt.call('mine', { n: n + i, text: 'x'.repeat(500) }, { signal }));
        await Promise.all(ten);
      }
    }
    await calls(10000);
    const before = heap();
    await calls(${CALLS});
    const after = heap();
    console.log(JSON.stringify([after.heapUsed - before.heapUsed, after.rss - before.rss]));
  `,
    { flags: ['--expose-gc'], timeout: 600_000 },
  )
  assert.equal(ended.err, '')
  const [heapGrowth, rssGrowth] = JSON.parse(ended.out)
  assert.ok(heapGrowth < 1 << 20, `the heap grew by ${heapGrowth} bytes`)
  assert.ok(rssGrowth < 24 << 20, `the process grew by ${rssGrowth} bytes`)
  console.log(`${CALLS} calls: heap ${heapGrowth} B, resident ${rssGrowth} B`)
})

test('a runtime that is lost unclosed is collected, though its tools refer to it', async () => {
  const ended = await program(
    `
    const gone = new Set();
    const registry = new FinalizationRegistry((n) => gone.add(n));
    async function lose(n) {
      const rt = new Runtime();
      await rt.tool({ name: 'mine', run: () => rt.call('datetime') });
      await rt.call('mine');
      registry.register(rt, n);
    }
    for (let n = 0; n < 20; n++) await lose(n);
    for (let n = 0; n < 50 && gone.size < 20; n++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    console.log(gone.size >= 19);
  `,
    { flags: ['--expose-gc'] },
  )
  assert.deepEqual([ended.code, ended.out, ended.err], [0, 'true\n', ''])
})

test('a runtime that is lost unclosed writes what it had queued', async (t) => {
  const store = `sqlite:${path.join(await emptyFolder(t), 'kept.db')}`
  const ended = await program(
    `
    const config = { store: ${JSON.stringify(store)} };
    await (async () => { await new Runtime(config).call('datetime'); })();
    gc();
    await new Promise((resolve) => setTimeout(resolve, 200));
    gc();
    const other = new Runtime(config);
    console.log((await other.audit.query({})).length);
  `,
    { flags: ['--expose-gc'] },
  )
  assert.deepEqual([ended.code, ended.out, ended.err], [0, '1\n', ''])
})

test('opening and closing many runtimes leaves nothing behind', async () => {
  for (let n = 0; n < 50; n++) {
    const rt = new Runtime()
    await rt.call('datetime')
    await rt.close()
  }
  assert.equal(process.listeners('exit').filter((one) => one.name === 'closeAll').length, 1)
})
