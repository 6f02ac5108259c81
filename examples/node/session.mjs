// Prints which tools a model gets and why it lacks one, runs the calls of a session file on a
// workspace, and prints what was decided and what the model sees:
// node session.mjs WORKSPACE SESSION
import { readFileSync } from 'node:fs'
import process from 'node:process'

import { Runtime } from 'toolkeep'

const [workspace, session] = process.argv.slice(2)
if (session === undefined) {
  console.error('usage: node session.mjs WORKSPACE SESSION')
  process.exit(2)
}

const rt = new Runtime({
  workspace,
  policy: { deny: ['write_file'] },
  rate_limit: { calls: 12 },
  secrets: { key: { env: 'TOOLKEEP_KEY' } },
})
rt.tool({
  name: 'count_words',
  description: 'Counts the words of a text.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  run: ({ text }) => `${text.split(/\s+/).filter(Boolean).length} words`,
})

const tools = await rt.definitions('anthropic', { agent: 'demo' })
console.log('tools    ', tools.map((tool) => tool.name).join(' '))
const why = await rt.explain('write_file', { agent: 'demo' })
const word = (allowed) => (allowed ? 'allowed' : 'refused')
console.log(`explain   ${why.tool}`)
for (const { source, before, after } of why.steps)
  console.log(`  | ${source}: ${word(before)} -> ${word(after)}`)
console.log(`  | ${why.rule?.text ?? 'allowed'}\n`)

for (const line of readFileSync(session, 'utf8').split('\n')) {
  const space = line.indexOf(' ')
  if (line.startsWith('#') || space < 0) continue
  const [tool, args] = [line.slice(0, space), line.slice(space + 1)]
  const result = await rt.call(tool, args, { agent: 'demo', session: 'demo-1' })
  let decision = result.code === null ? 'allowed' : `refused: ${result.code}`
  if (result.rule !== null) decision += ` by ${result.rule}`
  console.log(`call      ${tool} ${args}\ndecision  ${decision}\nthe model sees`)
  for (const seen of result.forLlm.replace(/\n$/, '').split('\n')) console.log(`  | ${seen}`)
  console.log()
}
await rt.close()
