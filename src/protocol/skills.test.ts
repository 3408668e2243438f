import { describe, expect, it } from 'vitest'
import { extensionsOf, showsApps } from './extensions.ts'
import { chunksToText } from './framing/chunks-to-text.ts'
import { SKILLS_EXTENSION, digestOf, filesOf, frontmatterOf, isSkill, skillsOf } from './skills.ts'
import { negotiateLegacy, withoutEnvelope } from './versions.ts'

const uri = 'skill://a/SKILL.md'
const file = { uri, digest: digestOf(Buffer.from('x')), size: 1 }
const skill = { uri, frontmatter: { name: 'a', description: 'does' }, resources: [file] }

describe('an entry of a skill', () => {
  it('is one when a host can load it and check its files', () => {
    expect([isSkill(skill), isSkill({ ...skill, resources: 'dynamic' })]).toEqual([true, true])
    expect(isSkill({ ...skill, resources: [file, { ...file, uri: 'skill://a/more' }] })).toBe(true)
    expect(filesOf({ resources: [file, 'x'] })).toEqual([file])
    expect(filesOf({ resources: 'dynamic' })).toEqual([])
  })

  it.each([
    ['no URI', { ...skill, uri: 7 }],
    ['no frontmatter', { ...skill, frontmatter: 'x' }],
    ['no name', { ...skill, frontmatter: { description: 'does' } }],
    ['an empty name', { ...skill, frontmatter: { name: '', description: 'does' } }],
    ['no description', { ...skill, frontmatter: { name: 'a' } }],
    ['files of another kind', { ...skill, resources: 'other' }],
    ['no files', { ...skill, resources: [] }],
    ['a file without a URI', { ...skill, resources: [file, { ...file, uri: 7 }] }],
    ['a file that is none', { ...skill, resources: [file, 'x'] }],
    ['no digest', { ...skill, resources: [{ uri, size: 1 }] }],
    ['a digest of another kind', { ...skill, resources: [{ ...file, digest: 'md5:00' }] }],
    ['more than a digest', { ...skill, resources: [{ ...file, digest: `${file.digest}0` }] }],
    ['less before a digest', { ...skill, resources: [{ ...file, digest: `x${file.digest}` }] }],
    ['half a byte', { ...skill, resources: [{ ...file, size: 0.5 }] }],
    ['a file twice', { ...skill, resources: [file, file] }],
    ['all files but its own', { ...skill, resources: [{ ...file, uri: 'skill://a/other' }] }],
  ])('is none with %s', (_, entry) => {
    expect(isSkill(entry)).toBe(false)
  })
})

it('knows what a server says of skills and pages', () => {
  expect(skillsOf({ extensions: { [SKILLS_EXTENSION]: { a: 1 } } })).toEqual({ a: 1 })
  for (const extensions of [undefined, 'x', {}, { [SKILLS_EXTENSION]: true }])
    expect(skillsOf({ extensions })).toBeUndefined()
  const apps = { 'io.modelcontextprotocol/ui': {} }
  expect([showsApps({ extensions: apps }), showsApps({ extensions: {} }), showsApps({})]).toEqual([
    true,
    false,
    false,
  ])
  expect([extensionsOf({ extensions: apps }), extensionsOf({ extensions: 'x' })]).toEqual([
    apps,
    {},
  ])
})

it.each([
  ['---\nname: a\n---\ntext', 'name: a'],
  ['\uFEFF---\r\nname: a\r\nmore: b\r\n---\r\n', 'name: a\r\nmore: b'],
  ['---\nname: a\n---  \t', 'name: a'],
  ['---\nname: a\n---x\n', undefined],
  ['text\n---\nname: a\n---\n', undefined],
  ['---\nname: a\n', undefined],
  [`---\n${'x'.repeat(65_536)}\n---\n`, 'x'.repeat(65_536)],
  [`---\n${'x'.repeat(65_537)}\n---\n`, undefined],
])('the frontmatter of %j', (text, expected) => {
  expect(frontmatterOf(text)).toBe(expected)
})

it('agrees on a version that it knows, else on the newest with a handshake', () => {
  expect(['2024-11-05', '2025-06-18', '1999-01-01', undefined].map(negotiateLegacy)).toEqual([
    '2024-11-05',
    '2025-06-18',
    '2025-11-25',
    '2025-11-25',
  ])
})

it('takes the envelope off, and nothing else', () => {
  const meta = 'io.modelcontextprotocol/'
  const envelope = {
    [`${meta}protocolVersion`]: 'x',
    [`${meta}clientInfo`]: {},
    [`${meta}clientCapabilities`]: {},
    [`${meta}logLevel`]: 'debug',
  }
  expect(withoutEnvelope({ a: 1, _meta: envelope })).toEqual({ a: 1 })
  expect(withoutEnvelope({ a: 1, _meta: { ...envelope, kept: true } })).toEqual({
    a: 1,
    _meta: { kept: true },
  })
  const without = { a: 1 }
  expect(withoutEnvelope(without)).toBe(without)
})

it('joins chunks within a character', () => {
  const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)]
  expect([
    chunksToText([first, second]),
    chunksToText([]),
    chunksToText([Buffer.from('a')]),
  ]).toEqual(['ü', '', 'a'])
})
