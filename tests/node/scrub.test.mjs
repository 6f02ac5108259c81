// Scrubbing without a runtime.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Scrubber, scrub } from '../../bindings/node/index.mjs'

const github = 'ghp_' + 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'
const key = '0123456789abcdef'.repeat(4)

test('a secret goes and everything else stays', () => {
  const masked = scrub(`Authorization: Bearer ${github}`)
  assert.match(masked, /^Authorization: Bearer \[REDACTED:github-/)
  assert.ok(!masked.includes(github.slice(4)))
})

test('clean bytes come back as the same object', () => {
  const data = Buffer.from([0xff, 0x20, 0x61])
  assert.equal(scrub(data), data)
  assert.equal(new Scrubber().scrub(data), data)
  assert.equal(scrub('nothing to hide, é and 🦀'), 'nothing to hide, é and 🦀')
})

test('bytes that are no text pass', () => {
  const given = Buffer.concat([Buffer.from([0xff]), Buffer.from(` ${github} `), Buffer.from([0xfe])])
  const masked = Buffer.from(new Scrubber().scrub(given))
  assert.equal(masked[0], 0xff)
  assert.equal(masked.at(-1), 0xfe)
  assert.match(masked.toString('latin1'), / \[REDACTED:github-/)
})

test('findings index the string', () => {
  const text = `né 🦀 ${github} end`
  const [finding, ...more] = new Scrubber().findings(text)
  assert.equal(more.length, 0)
  assert.equal(text.slice(finding.start, finding.end), github)
  assert.equal(finding.confidence, 'high')
  assert.ok(!JSON.stringify(finding).includes(github))
})

test('a value is masked once registered and no longer when removed', () => {
  const scrubber = new Scrubber({ key })
  const text = 'it says tangerine-kangaroo-99 here'
  assert.equal(scrubber.scrub(text), text)
  assert.equal(scrubber.add('tangerine-kangaroo-99', 'house-word'), null)
  assert.match(scrubber.scrub(text), /it says \[REDACTED:house-word/)
  assert.equal(scrubber.remove('tangerine-kangaroo-99'), true)
  assert.equal(scrubber.remove('tangerine-kangaroo-99'), false)
  assert.equal(scrubber.scrub(text), text)
  assert.equal(scrubber.add('ab'), 'value_too_short')
})

for (const size of [1, 7, 4096]) {
  test(`a stream in pieces of ${size} gives what the whole gives`, () => {
    const text = `é 🦀 token=${github}\n`.repeat(50) + "password: 'tangerine'\n"
    const scrubber = new Scrubber({ key })
    const whole = scrubber.scrub(text)
    const cut = (given) => {
      const stream = scrubber.stream()
      const pieces = []
      for (let at = 0; at < given.length; at += size)
        pieces.push(stream.push(given.slice(at, at + size)))
      return [...pieces, stream.finish()]
    }
    assert.equal(cut(text).join(''), whole)
    assert.equal(Buffer.concat(cut(Buffer.from(text))).toString(), whole)
  })
}

test('a stream takes one sort of pieces and nothing after its end', () => {
  const stream = new Scrubber().stream()
  stream.push('text')
  assert.throws(() => stream.push(Buffer.from('x')), { code: 'invalid_argument', message: /string/ })
  assert.throws(() => stream.push(5), { code: 'invalid_argument', message: /piece/ })
  stream.finish()
  assert.throws(() => stream.push('more'), { code: 'closed', message: /finished/ })
  assert.throws(() => stream.finish(), { code: 'closed' })
})

test('bad options are told by their name', () => {
  const refused = (message) => ({ name: 'ToolkeepError', code: 'invalid_argument', message })
  assert.throws(() => new Scrubber({ profil: 'seed' }), refused(/`profil`.*`profile`/))
  assert.throws(() => new Scrubber({ profile: 'strict' }), refused(/profile/))
  assert.throws(() => new Scrubber({ key: 'short' }), refused(/64 hexadecimal digits/))
  assert.throws(() => new Scrubber({ values: 'one' }), refused(/values/))
  assert.throws(() => new Scrubber(5), refused(/object/))
  assert.throws(() => new Scrubber().add('tangerine-kangaroo-99', 'No Kind'), refused(/kind/))
  assert.throws(() => new Scrubber().scrub(5), refused(/text/))
  assert.throws(() => new Scrubber().scrub('\ud800'), { code: 'invalid_utf8' })
})
