'use strict'
// The known word that a mistyped one was probably meant to be.

/** How many letters must change to make one word of the other. */
function distance(a, b) {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = above[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(change, above[j] + 1, row[j - 1] + 1)
    }
    above = row
  }
  return above[b.length]
}

/** `, did you mean …?` with the nearest known word, or nothing where none is near. */
function didYouMean(given, known) {
  // Longer than any word that we know; the work is quadratic.
  if (given.length > 64) return ''
  let best = Math.max(2, Math.floor(given.length / 3)) + 1
  let meant
  for (const word of known) {
    const away = distance(given.toLowerCase(), word.toLowerCase())
    if (away < best && away < word.length) [best, meant] = [away, word]
  }
  return meant === undefined ? '' : `, did you mean \`${meant}\`?`
}

module.exports = { didYouMean }
