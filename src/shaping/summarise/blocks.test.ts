import { describe, expect, it } from 'vitest'
import { countTokens } from '../tokens.ts'
import { MEDIA_TOKENS, blockTokens, isMedia, placeholder, textOf, withText } from './blocks.ts'

const TEXT = { type: 'text', text: 'hello there', annotations: { priority: 1 } }
const EMBEDDED = { type: 'resource', resource: { uri: 'file:///a.md', text: 'hello' } }
const IMAGE = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
const SOUND = { type: 'audio', data: 'AAAA' }
const FILE = { type: 'resource', resource: { uri: 'file:///a.pdf', blob: 'AAAAAAAA' } }
const LINK = { type: 'resource_link', uri: 'file:///b', name: 'b' }

const cost = (block: unknown) => blockTokens(block, 10_000)

describe('a block of content', () => {
  it('has the text that a model reads of it', () => {
    expect([TEXT, EMBEDDED].map(textOf)).toEqual(['hello there', 'hello'])
    const others = [IMAGE, FILE, LINK, 'hello', null, { type: 'text', text: 7 }, { text: 'x' }]
    expect(others.map(textOf)).toEqual(others.map(() => undefined))
  })

  it('is given another text where its own stands', () => {
    expect(withText(TEXT, 'new')).toEqual({ ...TEXT, text: 'new' })
    expect(withText(EMBEDDED, 'new')).toEqual({
      type: 'resource',
      resource: { uri: 'file:///a.md', text: 'new' },
    })
    expect(withText(undefined, 'new')).toEqual({ type: 'text', text: 'new' })
  })

  it('is media where a model looks at it or hears it', () => {
    const blocks = [IMAGE, SOUND, FILE, TEXT, EMBEDDED, LINK, 'image', null]
    expect(blocks.filter(isMedia)).toEqual([IMAGE, SOUND, FILE])
  })

  it('costs its text, a flat sum where it is media, and all of itself otherwise', () => {
    expect([IMAGE, SOUND, FILE].map(cost)).toEqual([MEDIA_TOKENS, MEDIA_TOKENS, MEDIA_TOKENS])
    expect(cost(TEXT)).toBe(countTokens('hello there'))
    expect(cost(LINK)).toBe(countTokens(JSON.stringify(LINK)))
  })

  it('fits nowhere when it is nested too deeply to be written', () => {
    let deep: unknown = 1
    for (let n = 0; n < 100_000; n++) deep = [deep]
    expect(blockTokens({ deep }, 10)).toBe(Infinity)
    const broken = { toJSON: () => JSON.parse('{') }
    expect(() => blockTokens(broken, 10)).toThrow(SyntaxError)
  })
})

describe('a block that is left out', () => {
  const hint = 'read_result handle r_1, select "[3]"'

  it('is named with the way to read it', () => {
    expect(placeholder(IMAGE, 3, 'r_1')).toEqual({
      type: 'text',
      text: `[image/png left out; ${hint}]`,
    })
    expect(placeholder(SOUND, 3, 'r_1')).toMatchObject({ text: `[audio left out; ${hint}]` })
    expect(placeholder('x', 3, 'r_1')).toMatchObject({ text: `[content left out; ${hint}]` })
  })

  it('is a link where it is a file, with its size and type where they are known', () => {
    const link = {
      type: 'resource_link',
      uri: 'file:///a.pdf',
      name: 'file:///a.pdf',
      description: `Left out; ${hint}`,
    }
    expect(placeholder(FILE, 3, 'r_1')).toEqual({ ...link, size: 6 })
    const typed = { resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf' } }
    expect(placeholder(typed, 3, 'r_1')).toEqual({ ...link, mimeType: 'application/pdf' })
    const nameless = { type: 'resource', resource: { blob: 'AAAA' } }
    expect(placeholder(nameless, 3, 'r_1')).toMatchObject({
      text: `[resource left out; ${hint}]`,
    })
  })
})
