// The JavaScript of the guide, run block by block. A comment `<!-- setup: … -->` right before a block is
// run first: it defines the names that the reader has. `rt` is a runtime on an empty folder unless the
// block or its setup defines another. `<!-- not run: … -->` says why a block is only parsed.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { emptyFolder } from './fixture.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const BLOCK = /^(?:<!-- (setup|not run):((?:(?!-->)[^])*)-->\n)?```(?:js|ts|javascript)\n([^]*?)^```$/gm

const names = (await readdir(path.join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'))
const pages = ['README.md', 'bindings/node/README.md', ...names.sort().map((name) => path.join('docs', name))]

let found = 0
for (const page of pages) {
  const text = await readFile(path.join(root, page), 'utf8')
  for (const { 0: whole, 1: kind, 2: note = '', 3: code, index } of text.matchAll(BLOCK)) {
    found += 1
    const line = text.slice(0, index + whole.lastIndexOf('```' + 'js')).split('\n').length
    test(`the guide's JavaScript runs: ${page}:${line}`, async (t) => {
      const folder = await emptyFolder(t)
      await mkdir(path.join(folder, 'node_modules'))
      await symlink(path.join(root, 'bindings/node'), path.join(folder, 'node_modules/toolkeep'))
      const setup = kind === 'setup' ? note : ''
      const imports = code.includes("from 'toolkeep'")
        ? "import { generateKey } from 'toolkeep'"
        : "import { Runtime, Scrubber, ToolError, checkCommand, generateKey, scrub } from 'toolkeep'"
      const has = /\b(const|let) rt\b/.test(setup + code) || !/\brt\b/.test(code)
      const rt = has ? '' : "const rt = new Runtime({ workspace: '.' }, { key: generateKey })"
      const source = [imports, rt, setup, code].join('\n')
      await writeFile(path.join(folder, 'block.mjs'), source)
      const args = kind === 'not run' ? ['--check', 'block.mjs'] : ['block.mjs']
      if (kind === 'not run') assert.ok(note.trim(), 'a reason')
      const done = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 60_000 })
      assert.equal(done.status, 0, `${done.error ?? done.stderr}\n${source}`)
    })
  }
}

test('the guide has JavaScript', () => assert.ok(found > 8, `${found} blocks`))
