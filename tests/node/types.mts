// Compiled by `tsc --strict` and never run: the types as a program uses them.

import { Runtime, ToolError, ToolkeepError, checkCommand, generateKey, scrub, version } from 'toolkeep'
import type {
  Agent,
  Code,
  Config,
  Event,
  EventStream,
  ListEntry,
  Policy,
  ToolDefinition,
  ToolResult,
} from 'toolkeep'

const denied: readonly ListEntry[] = ['exec', { entry: 'mcp_*', optional: true }]
const policy: Policy = {
  profile: 'coding',
  allow: null,
  deny: [...denied, { entry: 'group:web', final: true }],
  by_provider: { 'openai/gpt-5': { also_allow: ['exec'], ask: ['exec'] } },
  agents: {
    helper: {
      tools: ['*'],
      actions: { allow: ['patch'], delegate_targets: ['b'] },
      by_provider: { anthropic: { deny: ['edit'] } },
    },
  },
  by_chat: { 'telegram:42': { allow: ['read_file'] } },
  subagents: { deny: [], max_depth: 2 },
  taint: { mode: 'ask', untrusted: ['group:web'] },
  mode: 'shadow',
}
const config: Config = { workspace: '.', policy, rate_limit: { calls: 5 } }
const rt: Runtime = new Runtime(config)
const sealing: Runtime = new Runtime(config, { key: generateKey })
await Runtime.open('toolkeep.toml', { key: async () => 'key' })
// @ts-expect-error: the key comes from a function.
new Runtime(config, { key: 'key' })
new Runtime(config, {
  approve: async ({ tool, arguments: { amount }, expiresAtMs }, { signal }) => {
    signal.throwIfAborted()
    if (expiresAtMs < Date.now()) return
    return tool === 'pay' && amount < 5 ? true : { allow: false, reason: 'too much' }
  },
})
// @ts-expect-error: only a clear yes is one.
new Runtime(config, { approve: () => 'yes' })
await sealing.close()
await using other = await Runtime.open(new URL('toolkeep.toml', import.meta.url))
await (await other.ready()).close()

interface Sum {
  a: number
  b: number
}
await rt.tool<Sum>({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: { type: 'object' },
  capabilities: ['read-only'],
  timeoutMs: 1_000,
  run: ({ a, b }, { signal, agent, tenant }) => {
    signal.throwIfAborted()
    const who: string | null = agent
    const where: string = tenant
    if (who === where) throw new ToolError('no', { code: 'conflict' })
    return { sum: a + b }
  },
})
const quiet: ToolDefinition = { name: 'quiet', run: async () => {} }
await rt.tool({
  name: 'patch',
  touches: [{ argument: 'path', resource: 'path', effect: 'write' }],
  channels: ['telegram'],
  argumentAliases: { path: ['file'] },
  polling: true,
  needsApproval: true,
  taints: ['untrusted'],
  action: 'patch',
  originalName: 'patch-file',
  run: async (_, context) => {
    const above: string | null = context.parent?.agent ?? null
    return rt.call('add', {}, { agent: above, parent: context, tools: ['add'], channelType: 'cli' })
  },
})
await rt.tool(quiet)

const result = await rt.call<{ sum: number }>(
  'add',
  { a: 1, b: 2 },
  { agent: 'x', signal: AbortSignal.timeout(9) },
)
const sum: number | undefined = result.structured?.sum
const code: Code | null = result.code
const answers = await rt.callAll([{ id: '1', name: 'add', arguments: '{"a":1}' }], {
  peerKind: 'group',
})
const first: ToolResult | undefined = answers[0]?.result
const definitions = await rt.definitions<{ name: string }>('anthropic')
const allowed: boolean = (await rt.explain('add', { depth: 1 })).allowed
const taintMode: string = (await rt.config.get()).policy.taint.mode
const agent: Agent = await rt.agents.put({ id: 'a', deny: ['exec'] })
const tools = await rt.registry.list()
const text: string = scrub('x') + version
const verdict: 'allow' | 'ask' | 'deny' = checkCommand('ls', { profile: 'workspace' }).verdict
const judged: string = (await rt.checkCommand('ls', { agent: 'a', cwd: 'src', stdin: '' })).forLlm
checkCommand('ls', { groups: { env_dump: 'ask' }, modes: { approved: ['ls'] } })
await rt.tool({ name: 'plan', shellCommand: 'c', shellStdin: 'i', run: (_, { plan }) => plan?.cwd })

try {
  await rt.call('add')
} catch (error) {
  if (error instanceof ToolkeepError && error.code === 'closed') throw error
}

await using stream: EventStream = rt.events.follow({ after: await rt.events.last(), kinds: ['call.'] })
for await (const event of stream) {
  const seen: Event = event
  const at: number = seen.seq + stream.cursor + stream.dropped
  if (at > 1) break
}
const end: IteratorResult<Event, undefined> = await stream.next()
stream.close()
const pruned: number = (await rt.events.prune({ keep: 10 })).pruned

// @ts-expect-error: an option of a stream that does not exist
rt.events.follow({ afer: 1 })
// @ts-expect-error: a dialect that does not exist
await rt.definitions('openia')
// @ts-expect-error: an option that does not exist
await rt.call('add', {}, { sesion: 'x' })
// @ts-expect-error: a key that does not exist
new Runtime({ polcy: {} })
// @ts-expect-error: a list that does not exist
new Runtime({ policy: { denny: [] } })
// @ts-expect-error: an entry that is no text
new Runtime({ policy: { deny: [5] } })
// @ts-expect-error: marks without an entry
new Runtime({ policy: { deny: [{ final: true }] } })
// @ts-expect-error: a list that is a text
new Runtime({ policy: { deny: 'exec' } })
// @ts-expect-error: a mode that does not exist
new Runtime({ policy: { mode: 'watch' } })
// @ts-expect-error: a key of an agent's lists that does not exist
new Runtime({ policy: { agents: { a: { profil: 'full' } } } })
// @ts-expect-error: a limit without a number
new Runtime({ rate_limit: {} })
// @ts-expect-error: a parent that is no caller
await rt.call('add', {}, { parent: 'boss' })
// @ts-expect-error: a taint that does not exist
await rt.tool({ name: 'x', taints: ['secret'], run: () => '' })
// @ts-expect-error: a resource that does not exist
await rt.tool({ name: 'x', touches: [{ argument: 'a', resource: 'file', effect: 'read' }], run: () => '' })
// @ts-expect-error: a group that does not exist
checkCommand('ls', { groups: { mining: 'off' } })
// @ts-expect-error: a tool needs `run`
await rt.tool({ name: 'x' })
// @ts-expect-error: a capability that does not exist
await rt.tool({ name: 'x', capabilities: ['readonly'], run: () => '' })

export { agent, allowed, code, definitions, first, sum, taintMode, text, tools }
