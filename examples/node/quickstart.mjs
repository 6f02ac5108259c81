import { Runtime } from 'toolkeep';

const rt = new Runtime({ workspace: '.', policy: { deny: ['write_file'] } });
await rt.tool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  run: ({ a, b }) => ({ sum: a + b }),
});
for (const [name, args] of [['add', { a: 1, b: 2 }], ['write_file', { path: 'x', content: '' }], ['raed_file', {}]]) {
  const result = await rt.call(name, args, { agent: 'helper', session: 'chat-7' });
  console.log(name, result.code ?? 'ok', result.forLlm);
}
await rt.close();
