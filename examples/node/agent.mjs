// A live agent on toolkeep, over any chat API that speaks OpenAI's.
//
//   OPENAI_API_KEY=… OPENAI_MODEL=… node examples/node/agent.mjs [--workspace FOLDER] "Your task"
//
// OPENAI_BASE_URL names another server (default: https://api.openai.com/v1). The model gets the
// tools of the workspace and one that is written here; toolkeep decides on every call that it
// makes. Ends with status 0 when the model answers, 1 when it does not or the network fails, 2 when
// something is missing.

import { parseArgs } from 'node:util'

import { Runtime, ToolkeepError, scrub } from 'toolkeep'

const MOST_TURNS = 20
const USAGE = 'usage: node agent.mjs [--workspace FOLDER] TASK'

/** Ends the program with a text that says what to do. */
class Stop extends Error {
  constructor(message, status = 1) {
    super(message)
    this.status = status
  }
}

function settings() {
  let parsed
  try {
    const options = { workspace: { type: 'string', default: '.' } }
    parsed = parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new Stop(`${error.message}\n${USAGE}`, 2)
  }
  const task = parsed.positionals.join(' ')
  if (task === '') throw new Stop(USAGE, 2)
  const { OPENAI_API_KEY: key, OPENAI_MODEL: model, OPENAI_BASE_URL: base } = process.env
  if (!key || !model)
    throw new Stop(
      'set OPENAI_API_KEY and OPENAI_MODEL (and OPENAI_BASE_URL for another server)',
      2,
    )
  const url = `${(base || 'https://api.openai.com/v1').replace(/\/+$/, '')}/chat/completions`
  return { task, key, model, url, workspace: parsed.values.workspace }
}

/** One completion: the assistant's message. */
async function complete({ url, key, model }, messages, tools) {
  let response
  let text
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages, tools }),
      signal: AbortSignal.timeout(120_000),
    })
    text = await response.text()
  } catch (error) {
    throw new Stop(`cannot reach ${url}: ${error.cause?.message || error.message}`)
  }
  if (!response.ok)
    throw new Stop(`${url} answered ${response.status}: ${scrub(text.slice(0, 500))}`)
  try {
    const { message } = JSON.parse(text).choices[0]
    if (message) return message
  } catch {
    // Said below.
  }
  throw new Stop(`${url} answered without a message: ${text.slice(0, 500)}`)
}

/** Hands the calls of one turn to toolkeep; gives the messages that answer them. */
async function answer(rt, calls, caller) {
  const requests = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }))
  const answers = await rt.callAll(requests, caller)
  return answers.map(({ id, result }, index) => {
    const { name, arguments: args } = requests[index]
    const rule = result.rule ? ` (${result.rule})` : ''
    console.log(`call      ${name} ${scrub(args)}`)
    console.log(`decision  ${result.isError ? `${result.code}${rule}` : 'allowed'}`)
    console.log(`model     ${result.forLlm.replaceAll('\n', '\n          ')}\n`)
    return { role: 'tool', tool_call_id: id, content: result.forLlm }
  })
}

async function converse(rt, given) {
  const caller = { agent: 'example', session: 'agent.mjs', provider: 'openai', model: given.model }
  const system =
    'You work on the files of a workspace with the tools that you are given. When you are done, answer in words.'
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: given.task },
  ]
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const message = await complete(given, messages, await rt.definitions('openai', caller))
    messages.push(message)
    if (!message.tool_calls?.length) return message.content ?? ''
    messages.push(...(await answer(rt, message.tool_calls, caller)))
  }
  throw new Stop(`no answer after ${MOST_TURNS} turns`)
}

async function main() {
  const given = settings()
  const rt = new Runtime({ workspace: given.workspace })
  try {
    await rt.tool({
      name: 'count_words',
      description: 'Counts the words of a text.',
      capabilities: ['read-only'],
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: ({ text }) => ({ words: text.split(/\s+/).filter(Boolean).length }),
    })
    console.log(`answer    ${await converse(rt, given)}`)
  } finally {
    await rt.close()
  }
}

try {
  await main()
} catch (error) {
  if (error instanceof ToolkeepError) console.error(`toolkeep: ${error.message} [${error.code}]`)
  else if (error instanceof Stop) console.error(error.message)
  else throw error
  process.exitCode = error.status ?? 1
}
