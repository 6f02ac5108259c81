// A model's tool calls, governed: what it gets, what runs, and what is refused, and why.
import { Runtime } from 'toolkeep'

const rt = new Runtime({ workspace: '.', policy: { deny: ['edit'] } })
await rt.tool({
  name: 'word_count',
  description: 'Counts the words of a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => text.split(/\s+/).length,
})
console.log((await rt.definitions('anthropic', { agent: 'helper' })).map((tool) => tool.name))
console.log((await rt.call('list_files', {}, { agent: 'helper', session: 'demo' })).forLlm)
console.log((await rt.call('word_count', '{"text": "as the model wrote it"}')).structured)
console.log((await rt.explain('edit', { agent: 'helper' })).rule.text)
const refused = await rt.call('edit', { path: 'README.md', old_string: 'a', new_string: 'b' })
console.log([refused.code, refused.rule, refused.forLlm].join(' - '))
await rt.close()
