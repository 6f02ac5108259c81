// Runtimes and folders that are gone when their test ends.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { Runtime } from '../../bindings/node/index.mjs'

/** What ends with a test, in the order in which it began. */
const endings = new WeakMap()

/** Has this done when the test ends, before what began earlier: a store closes before its folder goes. */
function atEnd(t, end) {
  if (!endings.has(t)) {
    endings.set(t, [])
    t.after(async () => {
      for (const one of endings.get(t).reverse()) await one()
    })
  }
  endings.get(t).push(end)
}

/** An open runtime that is closed when the test ends. */
export async function openRuntime(t, config = {}) {
  const rt = await new Runtime(config).ready()
  atEnd(t, () => rt.close())
  return rt
}

/** An empty folder that is removed when the test ends. */
export async function emptyFolder(t) {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolkeep-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A promise that never settles, and keeps nothing alive. */
export const never = () => new Promise(() => {})
