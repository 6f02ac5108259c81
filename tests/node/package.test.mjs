// The package as it is installed: both kinds of import, its types, its generated half.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { emptyFolder } from './fixture.mjs'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('../../bindings/node/', import.meta.url))

test('import and require give one and the same package', async (t) => {
  const home = await emptyFolder(t)
  await mkdir(path.join(home, 'node_modules'))
  await symlink(folder, path.join(home, 'node_modules', 'toolkeep'))
  await writeFile(
    path.join(home, 'main.mjs'),
    `import * as esm from 'toolkeep';
    import { createRequire } from 'node:module';
    const cjs = createRequire(import.meta.url)('toolkeep');
    const names = Object.keys(cjs).sort();
    const same = names.every((name) => esm[name] === cjs[name]);
    const rt = new cjs.Runtime();
    const result = await rt.call('datetime');
    await rt.close();
    console.log(JSON.stringify([names, Object.keys(esm).sort(), same, result.isError]));`,
  )
  const { stdout } = await run(process.execPath, [path.join(home, 'main.mjs')])
  const classes = ['Runtime', 'Scrubber', 'ToolError', 'ToolkeepError']
  const names = [...classes, 'checkCommand', 'generateKey', 'scrub', 'version']
  assert.deepEqual(JSON.parse(stdout), [names, [...names, 'default'].sort(), true, false])
})

test('the types of the package and a program that uses them are clean under tsc --strict', async () => {
  const tsc = path.join(folder, 'node_modules', 'typescript', 'bin', 'tsc')
  const config = fileURLToPath(new URL('tsconfig.json', import.meta.url))
  const { stdout } = await run(process.execPath, [tsc, '--project', config]).catch((error) => error)
  assert.equal(stdout, '')
})

test('every method that is declared is there, and the other way round', async () => {
  const { Runtime } = createRequire(import.meta.url)(folder)
  const text = await readFile(path.join(folder, 'index.d.ts'), 'utf8')
  const start = text.search(/^export interface Runtime\b/m)
  const body = text.slice(start, text.indexOf('\n}\n', start))
  const declared = [...body.matchAll(/^ {2}(?:readonly )?([a-zA-Z]+)[(<:]/gm)].map(
    (match) => match[1],
  )
  const there = Object.getOwnPropertyNames(Runtime.prototype).filter(
    (name) => name !== 'constructor',
  )
  // Operations are properties of each runtime; this one is declared anew, because it can follow.
  const methods = declared.filter((name) => name !== 'events')
  assert.deepEqual(methods.sort(), there.sort())
})

test('everything that the package needs is among its files', async () => {
  const { files } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'))
  for (const name of [
    'lib.cjs',
    ...(await readdir(path.join(folder, 'lib'))).map((one) => `lib/${one}`),
  ]) {
    const text = await readFile(path.join(folder, name), 'utf8')
    for (const [, needed] of text.matchAll(/require\('(\.[^']+)'\)/g)) {
      const place = path.relative(folder, path.resolve(folder, path.dirname(name), needed))
      assert.ok(
        files.includes(place) || files.includes(place.split('/')[0]),
        `${name} needs ${place}`,
      )
    }
  }
})
