// The key that a host gives, and what becomes of it.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'

import { Runtime, ToolkeepError, generateKey } from '../../bindings/node/index.mjs'
import { emptyFolder } from './fixture.mjs'

const KEY = '8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11'
const ID = '31b450e023837bdb'
const gh = { name: 'gh', env: { TOKEN: 'hunter2' } }

async function refused(work, code, text = /./) {
  let caught
  await assert.rejects(work, (error) => {
    caught = error
    assert.ok(error instanceof ToolkeepError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, text)
    assert.ok(!/sw0rdf1sh|hunter2|4711/.test(inspect(error)), inspect(error))
    return true
  })
  return caught
}

test('a generated key is random and is taken', async (t) => {
  const keys = new Set(Array.from({ length: 10 }, generateKey))
  assert.equal(keys.size, 10)
  for (const key of keys) assert.match(key, /^[0-9a-f]{64}$/)
  const rt = new Runtime({}, { key: generateKey })
  t.after(() => rt.close())
  await rt.credentials.put(gh)
  assert.equal((await rt.credentials.check({ name: 'gh' })).version, 1)
})

test('a key of the host seals, and is asked for once', async (t) => {
  const folder = await emptyFolder(t)
  const store = `sqlite:${path.join(folder, 'a.db')}`
  let asked = 0
  const key = async () => {
    asked += 1
    return KEY
  }
  const rt = new Runtime({ store }, { key })
  assert.equal((await rt.credentials.put(gh)).key_id, ID)
  await rt.close()
  assert.equal(asked, 1)
  const other = new Runtime({ store }, { key: generateKey })
  await refused(other.credentials.check({ name: 'gh' }), 'secret_unreadable', new RegExp(ID))
  await other.close()
  for (const options of [undefined, null, {}, { key: null }]) {
    const none = new Runtime({ store }, options)
    await refused(none.credentials.check({ name: 'gh' }), 'no_key', /secrets\.key/)
    await none.close()
  }
  assert.ok(!(await readFile(path.join(folder, 'a.db'))).includes('hunter2'))
})

test('a configuration file is opened with a key', async (t) => {
  const file = path.join(await emptyFolder(t), 'agent.toml')
  await writeFile(file, 'store = "memory:"\n')
  const rt = await Runtime.open(file, { key: () => KEY })
  assert.equal((await rt.credentials.put(gh)).key_id, ID)
  await rt.close()
  await writeFile(file, 'store = "memory:"\nsecrets.key = { env = "TOOLKEEP_OWN_KEY" }\n')
  process.env.TOOLKEEP_OWN_KEY = KEY
  await refused(Runtime.open(file, { key: () => KEY }), 'invalid_config', /the host gives a key, too/)
})

test('what the function throws is the cause', async () => {
  const locked = new Error('the keychain is locked')
  for (const key of [
    () => {
      throw locked
    },
    async () => {
      throw locked
    },
  ]) {
    const opening = new Runtime({}, { key }).ready()
    const error = await refused(opening, 'invalid_config', /secrets\.key.*threw/)
    assert.equal(error.cause, locked)
  }
})

test('what is no key is refused without being repeated', async () => {
  for (const [key, text] of [
    [() => 'sw0rdf1sh', /64 hexadecimal digits/],
    [async () => 'sw0rdf1sh', /64 hexadecimal digits/],
    [() => '', /64 hexadecimal digits/],
    [() => undefined, /gave a undefined, not a string/],
    [() => Buffer.from('sw0rdf1sh'), /gave a object, not a string/],
    ['sw0rdf1sh', /give a function/],
  ]) {
    await refused(new Runtime({}, { key }).ready(), 'invalid_config', text)
  }
})

test('a secret is repeated by no error', async (t) => {
  const rt = new Runtime({}, { key: () => KEY })
  t.after(() => rt.close())
  for (const env of ['hunter2', { A: 4711 }, { A: ['hunter2'] }, { 'A=hunter2': '' }]) {
    await refused(rt.credentials.put({ name: 'gh', env }), 'invalid_argument')
  }
})
