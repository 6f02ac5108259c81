// Fails if native.cjs or native.d.ts is not what `napi build` generates from the Rust source.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('..', import.meta.url))
const fresh = mkdtempSync(path.join(tmpdir(), 'toolkeep-'))
try {
  const napi = path.join(folder, 'node_modules', '@napi-rs', 'cli', 'dist', 'cli.js')
  const files = ['--js', 'native.cjs', '--dts', 'native.d.ts', '--output-dir', fresh]
  execFileSync(process.execPath, [napi, 'build', '--platform', ...files], {
    cwd: folder,
    stdio: 'pipe',
  })
  for (const name of ['native.cjs', 'native.d.ts']) {
    const [there, made] = [folder, fresh].map((place) =>
      readFileSync(path.join(place, name), 'utf8'),
    )
    if (there !== made) {
      console.error(
        `bindings/node/${name} has drifted from the source: run \`npm run build\` and commit it`,
      )
      process.exitCode = 1
    }
  }
} finally {
  rmSync(fresh, { recursive: true })
}
