// Commands of a shell: judged, and as the arguments of tools.

import assert from 'node:assert/strict'
import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

import { Runtime, checkCommand } from '../../bindings/node/index.mjs'
import { emptyFolder, openRuntime } from './fixture.mjs'

test('a command is judged without a runtime', () => {
  const check = checkCommand('rm -rf /')
  assert.equal(check.verdict, 'deny')
  assert.deepEqual(check.categories, ['destructive_ops'])
  assert.ok(check.forLlm.includes(check.suggestion))
  assert.equal(check.withoutApprover, 'confine')
  assert.equal(check.plan, null)
  const fine = checkCommand('git status -s', { profile: 'workspace' })
  assert.deepEqual([fine.verdict, fine.plan.run.program], ['allow', 'git'])
})

test('options are those of the configuration, and the surroundings', () => {
  const env = { deny_paths: ['/workspace/keys'] }
  assert.deepEqual(checkCommand('cat keys/a', { env }).categories, ['path_denied'])
  assert.equal(checkCommand('ls', { security: 'deny' }).verdict, 'deny')
  const refused = (options, message) =>
    assert.throws(() => checkCommand('ls', options), { code: 'invalid_argument', message })
  refused({ profile: 'strickt' }, /`strict` or `workspace`/)
  refused({ proflie: 'strict' }, /did you mean `profile`/)
  refused({ groups: { mining: 'off' } }, /crypto_mining/)
  refused([], /must be an object/)
  assert.throws(() => checkCommand(5), { code: 'invalid_argument' })
})

test('a command is judged in the folders of a caller', async (t) => {
  const workspace = await emptyFolder(t)
  await mkdir(path.join(workspace, 'keys'))
  await symlink('keys', path.join(workspace, 'open'))
  const rt = await openRuntime(t, { workspace })
  const verdict = async (command, options) => (await rt.checkCommand(command, options)).verdict
  assert.equal(await verdict('cat open/a'), 'allow')
  assert.equal(await verdict('cat open/a', { denyPaths: ['keys'] }), 'deny')
  assert.equal(await verdict('cat a', { cwd: 'open', denyPaths: ['keys'] }), 'deny')
  assert.equal(await verdict('ls', { settings: { security: 'deny' } }), 'deny')
  await assert.rejects(rt.checkCommand('ls', { profile: 'loose' }), { code: 'invalid_argument' })
})

test('a tool that takes a command runs what may run', async (t) => {
  const asked = []
  const approve = (request) => {
    asked.push(request)
    return { allow: true, by: 'maria', always: 0 }
  }
  const rt = new Runtime({}, { approve })
  t.after(() => rt.close())
  await rt.tool({
    name: 'run',
    shellCommand: 'command',
    run: ({ command }) => `ran ${command}`,
  })
  assert.equal((await rt.call('run', { command: 'ls' })).forLlm, 'ran ls')
  const denied = await rt.call('run', { command: 'rm -rf ~' })
  assert.deepEqual([denied.code, denied.rule], ['command_denied', 'shell.destructive_ops'])
  const frobnicate = () => rt.call('run', { command: 'frobnicate' }, { agent: 'a' })
  for (let n = 0; n < 2; n++) assert.equal((await frobnicate()).isError, false)
  assert.equal(asked.length, 1)
  assert.match(asked[0].proposals[0].text, /frobnicate/)
  const [rule] = await rt.rules.list({ kind: 'command' })
  assert.equal(rule.agent, 'a')
  await rt.rules.revoke({ kind: 'command', id: rule.id })
  await frobnicate()
  assert.equal(asked.length, 2)
})
