import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { Runtime, ToolkeepError } from '../../bindings/node/index.mjs'
import { emptyFolder, openRuntime } from './fixture.mjs'

async function refused(opening, code, text = /./) {
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof ToolkeepError && error instanceof Error, String(error))
    assert.equal(error.name, 'ToolkeepError')
    assert.equal(error.code, code)
    assert.match(error.message, text)
    return true
  })
}

test('a runtime may be used before it is open', async (t) => {
  const rt = new Runtime()
  t.after(() => rt.close())
  rt.tool({ name: 'mine', run: () => 'here' })
  assert.equal((await rt.call('mine')).forLlm, 'here')
  assert.equal(await rt.ready(), rt)
})

test('a closed runtime refuses everything, and closing twice does no harm', async () => {
  const rt = new Runtime()
  assert.equal(rt.closed, false)
  await Promise.all([rt.close(), rt.close()])
  await rt.close()
  assert.equal(rt.closed, true)
  for (const attempt of [
    () => rt.call('datetime'),
    () => rt.callAll([]),
    () => rt.definitions('openai'),
    () => rt.explain('edit'),
    () => rt.tool({ name: 'mine', run: () => '' }),
    () => rt.unregister('edit'),
    () => rt.agents.list(),
  ]) {
    await refused(attempt(), 'closed', /open a new one/)
  }
})

test('`await using` closes', async () => {
  const rt = new Runtime()
  await rt[Symbol.asyncDispose]()
  assert.equal(rt.closed, true)
})

test('a wrong configuration is refused by ready and by the first method, with the key', async () => {
  const cycle = {}
  cycle.cycle = cycle
  for (const [config, text] of [
    [{ polcy: {} }, /`polcy`.*`policy`/],
    [{ policy: { denny: [] } }, /`policy\.denny`.*`deny`/],
    [{ policy: { deny: 'exec' } }, /`policy\.deny`/],
    [{ workspace: 5 }, /workspace/],
    [{ workspace: () => '.' }, /`config\.workspace` is a function/],
    [{ execute: { timeout_ms: NaN } }, /`config\.execute\.timeout_ms` is NaN/],
    [{ workspace: '/no/such/folder' }, /`workspace`.*no\/such\/folder/],
    [cycle, /refers to itself/],
    [[], /object/],
    [5, /./],
    ['memory:', /./],
  ]) {
    const rt = new Runtime(config)
    await refused(rt.ready(), 'invalid_config', text)
    await refused(rt.call('datetime'), 'invalid_config', text)
    await rt.close()
  }
})

test('a failure to open that nobody asks about goes unnoticed, but close tells of it', async () => {
  new Runtime({ polcy: {} })
  new Runtime({ polcy: {} }).tool({ name: 'mine', run: () => '' })
  const forgotten = new Runtime({ polcy: {} })
  await new Promise((resolve) => setTimeout(resolve, 50))
  await refused(forgotten.close(), 'invalid_config', /polcy/)
})

test('Runtime.open reads a file, given by path or URL, with paths from its folder', async (t) => {
  const folder = await emptyFolder(t)
  await mkdir(path.join(folder, 'ws'))
  await writeFile(path.join(folder, 'ws', 'a.txt'), 'hello')
  const file = path.join(folder, 'toolkeep.toml')
  await writeFile(file, 'workspace = "ws"\n')
  for (const place of [file, pathToFileURL(file)]) {
    const rt = await Runtime.open(place)
    assert.equal((await rt.call('read_file', { path: 'a.txt' })).forLlm, 'hello')
    assert.equal((await rt.config.get()).store, 'sqlite:toolkeep.db')
    await rt.close()
  }
  await refused(Runtime.open(path.join(folder, 'none.toml')), 'invalid_config', /none\.toml/)
  await refused(Runtime.open(5), 'invalid_argument', /path/)
})

test('a store that cannot be used says why', async (t) => {
  const folder = await emptyFolder(t)
  const text = path.join(folder, 'text.db')
  await writeFile(text, 'this is no database\n'.repeat(500))
  await refused(
    new Runtime({ store: `sqlite:${folder}` }).ready(),
    'store_path',
    /folder|directory/,
  )
  await refused(new Runtime({ store: `sqlite:${folder}/none/x.db` }).ready(), 'store_path', /none/)
  await refused(new Runtime({ store: `sqlite:${text}` }).ready(), 'store_corrupt', /text\.db/)
  await refused(new Runtime({ store: 'mysql:x' }).ready(), 'store_path', /memory:/)
})

test('a store that was written by a newer version is left alone', async (t) => {
  const folder = await emptyFolder(t)
  const file = path.join(folder, 'newer.db')
  await (await new Runtime({ store: `sqlite:${file}` }).ready()).close()
  const script = [
    'import sqlite3, sys',
    'db = sqlite3.connect(sys.argv[1])',
    'db.execute("insert into toolkeep_schema values (1000, 0)")',
    'db.commit()',
  ].join('\n')
  execFileSync('python3', ['-c', script, file])
  await refused(new Runtime({ store: `sqlite:${file}` }).ready(), 'store_newer', /1000/)
})

test('a store that is locked by another process is waited for, then refused', async (t) => {
  const folder = await emptyFolder(t)
  const file = path.join(folder, 'locked.db')
  await (await new Runtime({ store: `sqlite:${file}` }).ready()).close()
  const { spawn } = await import('node:child_process')
  const script = [
    'import sqlite3, sys, time',
    'db = sqlite3.connect(sys.argv[1], isolation_level=None)',
    'db.execute("begin exclusive")',
    'print("locked", flush=True)',
    'sys.stdin.read()',
  ].join('\n')
  const holder = spawn('python3', ['-c', script, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => holder.kill())
  await new Promise((resolve) => holder.stdout.once('data', resolve))
  const rt = new Runtime({ store: `sqlite:${file}` })
  await refused(
    rt.agents.put({ id: 'a' }).finally(() => rt.close()),
    'store_locked',
    /./,
  )
})

test('a store that may not be written says so', async (t) => {
  const folder = await emptyFolder(t)
  const file = path.join(folder, 'fixed.db')
  await (await new Runtime({ store: `sqlite:${file}` }).ready()).close()
  await chmod(file, 0o444)
  await chmod(folder, 0o555)
  // Root may write whatever the mode says, so a child gives that right away first.
  const module = new URL('../../bindings/node/index.mjs', import.meta.url).href
  const script = [
    `import { Runtime } from ${JSON.stringify(module)};`,
    'if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }',
    `const rt = new Runtime({ store: ${JSON.stringify(`sqlite:${file}`)} });`,
    "try { await rt.agents.put({ id: 'a' }); console.log('written'); } catch (e) { console.log(e.code); }",
  ].join('\n')
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  await chmod(folder, 0o755)
  assert.equal(said.trim(), 'store_read_only')
})

test('what a closed runtime wrote is there for the next one', async (t) => {
  const store = `sqlite:${path.join(await emptyFolder(t), 'kept.db')}`
  const first = await openRuntime(t, { store })
  await first.agents.put({ id: 'a' })
  await first.call('datetime')
  await first.close()
  const second = await openRuntime(t, { store })
  assert.deepEqual(
    (await second.agents.list()).map((agent) => agent.id),
    ['a'],
  )
  assert.equal((await second.audit.query({})).length, 1)
})

test('two runtimes never see each other', async (t) => {
  const one = await openRuntime(t)
  const other = await openRuntime(t)
  await one.tool({ name: 'mine', run: () => 'one' })
  assert.equal((await other.call('mine')).code, 'unknown_tool')
  await one.close()
  assert.equal((await other.call('datetime')).isError, false)
})

test('an option of a runtime that there is not is refused, with the nearest', async (t) => {
  const folder = await emptyFolder(t)
  const file = path.join(folder, 'toolkeep.json')
  await writeFile(file, '{}')
  const refused = (message) => ({ name: 'ToolkeepError', code: 'invalid_argument', message })
  const mistyped = { aprove: () => true }
  const near = refused('a runtime has no option `aprove`, did you mean `approve`?')
  await assert.rejects(new Runtime({}, mistyped).ready(), near)
  await assert.rejects(Runtime.open(file, mistyped), near)
  const far = refused('a runtime has no option `workspace`; there are `approve` and `key`')
  await assert.rejects(new Runtime({}, { workspace: folder }).ready(), far)
  await assert.rejects(new Runtime({}, 5).ready(), refused(/must be an object/))
})

test('a configuration whose keys are those of a class is refused, not taken as empty', async () => {
  class Config {
    get policy() {
      return { deny: ['write_file'] }
    }
  }
  for (const [config, place] of [
    [new Config(), /`config` is an object of the class Config: .*plain object/],
    [{ policy: Object.create({ deny: ['edit'] }) }, /`config\.policy` is an object/],
  ])
    await assert.rejects(new Runtime(config).ready(), { code: 'invalid_config', message: place })
})
