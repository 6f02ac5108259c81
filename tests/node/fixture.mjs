// Runtimes and folders that are gone when their test ends.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { Runtime } from '../../bindings/node/index.mjs'

/** An open runtime that is closed when the test ends. */
export async function openRuntime(t, config = {}) {
  const rt = await new Runtime(config).ready()
  t.after(() => rt.close())
  return rt
}

/** An empty folder that is removed when the test ends. */
export async function emptyFolder(t) {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolkeep-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A promise that never settles, and keeps nothing alive. */
export const never = () => new Promise(() => {})
