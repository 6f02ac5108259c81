'use strict'
// One listener for a signal, however many calls share it: Node warns of a leak from eleven on.

const watches = new WeakMap()

/** Has `act` called when the signal fires. Returns a function that calls that off. */
function whenAborted(signal, act) {
  let watch = watches.get(signal)
  if (watch === undefined) {
    const acts = new Set()
    const fire = () => acts.forEach((one) => one())
    watch = { acts, fire }
    watches.set(signal, watch)
    signal.addEventListener('abort', fire, { once: true })
  }
  watch.acts.add(act)
  return () => {
    watch.acts.delete(act)
    if (watch.acts.size > 0) return
    watches.delete(signal)
    signal.removeEventListener('abort', watch.fire)
  }
}

module.exports = { whenAborted }
