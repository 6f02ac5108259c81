'use strict'
// Runtimes that are still open when the process exits write what they had queued.

/** How long an exit waits for one runtime, in milliseconds. */
const MOST_MS = 1_000

const open = new Set()
const lost = new FinalizationRegistry((ref) => open.delete(ref))

function closeAll() {
  for (const ref of open) ref.deref()?.closeNow(MOST_MS)
}

/** Closes the native runtime at exit. Returns a function that calls that off. */
function closeAtExit(native) {
  if (open.size === 0 && !process.listeners('exit').includes(closeAll)) process.on('exit', closeAll)
  const ref = new WeakRef(native)
  open.add(ref)
  lost.register(native, ref, ref)
  return () => {
    open.delete(ref)
    lost.unregister(ref)
  }
}

module.exports = { closeAtExit }
