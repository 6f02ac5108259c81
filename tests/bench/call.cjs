'use strict'
// The whole path of a call of a no-op tool in Node, against the same bridge with an empty core:
// see docs/benchmarks.md. `call.cjs memory` prints what an idle runtime keeps in memory instead.

const PACKAGE = '../../bindings/node'
const TURNS = 61
const CALLS = 256
const FLIGHT = 64
const ARGS = { text: 'hello' }
const NOOP = { name: 'host_noop', description: 'Does nothing.', run: () => 'ok' }

async function calls(rt, name, count) {
  for (let i = 0; i < count; i++) await rt.call(name, ARGS)
}

async function inTurn(rt, name) {
  const start = process.hrtime.bigint()
  await calls(rt, name, CALLS)
  return Number(process.hrtime.bigint() - start) / CALLS
}

async function inFlight(rt, name) {
  const each = Math.floor(CALLS / FLIGHT)
  const start = process.hrtime.bigint()
  await Promise.all(Array.from({ length: FLIGHT }, () => calls(rt, name, each)))
  return Number(process.hrtime.bigint() - start) / (each * FLIGHT)
}

/** Both in turns, so that noise hits both; the median, since waking a thread has no typical best. */
async function row(rt, what, nsPerCall, empty, real) {
  const [bridge, whole] = [[], []]
  for (let turn = 0; turn < TURNS; turn++) {
    bridge.push(await nsPerCall(rt, empty))
    whole.push(await nsPerCall(rt, real))
    await rt.events.read({ limit: 1 })
  }
  const [ofBridge, ofWhole] = [median(bridge), median(whole)]
  const ratio = (ofWhole / ofBridge).toFixed(2)
  console.log(`| ${what} | ${ofBridge.toFixed(0)} | ${ofWhole.toFixed(0)} | ${ratio} |`)
}

function median(turns) {
  return turns.sort((a, b) => a - b)[turns.length >> 1]
}

async function speed() {
  const rt = await new (require(PACKAGE).Runtime)().ready()
  await rt.call('bench:install', {})
  await row(rt, 'Node, awaited', inTurn, 'bench:empty', 'noop')
  await row(rt, 'Node, 64 in flight', inFlight, 'bench:empty', 'noop')
  await rt.tool(NOOP)
  await row(rt, 'Node, awaited, tool in JavaScript', inTurn, 'bench:host_noop', 'host_noop')
  await rt.close()
}

function residentMib() {
  return process.memoryUsage.rss() / 2 ** 20
}

async function memory() {
  const bare = residentMib()
  const rt = await new (require(PACKAGE).Runtime)().ready()
  await rt.call('datetime', {})
  await rt.events.read({ limit: 1 })
  const idle = residentMib()
  console.log(`| Node | ${bare.toFixed(1)} | ${idle.toFixed(1)} | ${(idle - bare).toFixed(1)} |`)
  await rt.close()
}

process.argv[2] === 'memory' ? memory() : speed()
