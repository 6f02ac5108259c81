// A model's tool calls, governed: one built-in tool, one of our own, and one that is refused.
import { Runtime } from 'toolkeep'

const rt = new Runtime({ workspace: '.', policy: { deny: ['edit'] } })
await rt.tool({
  name: 'word_count',
  description: 'Counts the words of a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => text.split(/\s+/).length,
})
console.log((await rt.call('list_files', {}, { agent: 'helper', session: 'demo' })).forLlm)
console.log((await rt.call('word_count', '{"text": "as the model wrote it"}')).structured)
const refused = await rt.call('edit', { path: 'README.md', old_string: 'a', new_string: 'b' })
console.log(refused.code, '-', refused.forLlm)
await rt.close()
