import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { checkArguments } from './check-arguments.ts'

async function errorsOf(schema: JsonObject, given: JsonObject): Promise<string[]> {
  const { errors } = await checkArguments(schema, given)
  return errors.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
}

const [, THEN = ''] = 'if then else'.split(' ')

function choice(kind: string): JsonObject {
  return {
    properties: { kind: { const: kind, default: kind }, [kind]: { type: 'string' } },
    required: ['kind', kind],
  }
}

describe('a pattern', () => {
  it('that never ends elsewhere is checked', async () => {
    const schema = { properties: { a: { pattern: '^(a|aa)+$' }, b: { pattern: '^b$' } } }
    expect(await errorsOf(schema, { a: 'aaa', b: 'b' })).toEqual([])
    expect(await errorsOf(schema, { a: `${'a'.repeat(60)}!`, b: 'c' })).toEqual([
      '/a pattern',
      '/b pattern',
    ])
  })

  it('that cannot be checked refuses nothing', async () => {
    const hard = '^(a)\\1$'
    const schema = {
      properties: {
        plain: { type: 'string', pattern: hard },
        not: { not: { pattern: hard } },
        if: { if: { pattern: hard }, [THEN]: { maxLength: 1 } },
        oneOf: { oneOf: [{ pattern: hard }, { pattern: 'b' }] },
        names: {
          type: 'object',
          patternProperties: { [hard]: { type: 'string' }, '^n': { type: 'number' } },
          additionalProperties: false,
        },
      },
    }
    const right = { plain: 'x', not: 'bb', if: 'bbb', oneOf: 'b', names: { bb: 1, aa: 's', n: 1 } }
    expect(await errorsOf(schema, right)).toEqual([])
    expect(await errorsOf(schema, { plain: [], names: { n: [] } })).toEqual([
      '/plain type',
      '/names/n type',
    ])
  })
})

describe('a required property that has a default', () => {
  // The shape of what @playwright/mcp 0.0.83 lists for its screenshots.
  const screenshot = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      type: { type: 'string', enum: ['png', 'jpeg', 'webp'] },
      scale: { default: 'css', type: 'string', enum: ['css', 'device'] },
    },
    required: ['scale'],
    additionalProperties: false,
  }

  it('may be missing, and is not filled in', async () => {
    const given = {}
    expect(await checkArguments(screenshot, given)).toEqual({
      arguments: given,
      coerced: [],
      errors: [],
    })
    expect(given).toEqual({})
    expect(await errorsOf(screenshot, { scale: 'large' })).toEqual(['/scale enum'])
  })

  const shot = { $ref: '#/$defs/shot' }
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['in an object', { properties: { o: screenshot } }, { o: {} }, { o: { scale: 1 } }],
    ['in items', { properties: { l: { items: screenshot } } }, { l: [{}] }, { l: [{ scale: 1 }] }],
    ['by reference', { ...shot, $defs: { shot: screenshot } }, {}, { scale: 1 }],
    ['in a part', { allOf: [screenshot] }, {}, { scale: 1 }],
    [
      'of a schema that another part or reference holds',
      {
        required: ['scale', 'name'],
        allOf: [shot, { required: ['scale'] }],
        $defs: {
          shot: { properties: { scale: { allOf: [{ $ref: '#/$defs/scale' }] } } },
          scale: { type: 'string', default: 'css' },
        },
      },
      { name: 'a' },
      { scale: 'css' },
    ],
  ])('may be missing %s', async (_, schema, right, wrong) => {
    expect(await errorsOf(schema, right)).toEqual([])
    expect(await errorsOf(schema, wrong)).not.toEqual([])
  })

  it('is no reason to refuse a choice that was clear with it', async () => {
    const schema = { oneOf: [choice('a'), choice('b')] }
    expect(await errorsOf(schema, { a: 'x' })).toEqual([])
    expect(await errorsOf(schema, { kind: 'a', a: 'x', b: 'y' })).toEqual([])
    expect(await errorsOf(schema, { kind: 'a' })).not.toEqual([])
  })
})

describe('an enum that contradicts its type', () => {
  const schema = {
    properties: {
      severity: { type: 'string', enum: [10, 20, 'all'] },
      verse: { type: 'integer', enum: ['1', '2'] },
      level: { type: 'number', enum: ['low', 'high'] },
      media: { type: 'array', items: { type: 'string' }, enum: ['pc', 'tv'] },
      plain: { type: ['string', 'null'], enum: ['x', null] },
    },
  }
  it.each<JsonObject>([
    { severity: 10, verse: 1, level: 'low', media: ['pc', 'tv'], plain: null },
    { severity: '20', verse: '2', level: 'high', media: [], plain: 'x' },
  ])('accepts its members and passes them on: %j', async (given) => {
    const { arguments: sent, errors } = await checkArguments(schema, given)
    expect(errors).toEqual([])
    expect(sent).toBe(given)
  })

  it('refuses all else', async () => {
    const given = { severity: 30, verse: 'one', level: 1, media: ['radio'], plain: [] }
    expect(await errorsOf(schema, given)).toEqual([
      '/severity enum',
      '/verse enum',
      '/level enum',
      '/media/0 enum',
      '/plain type',
      '/plain enum',
    ])
  })
})

describe('an alternative that contradicts the type', () => {
  const schema = {
    $defs: { named: { type: 'object', properties: { name: { type: 'string' } } } },
    properties: {
      labels: { type: 'array', oneOf: [{ $ref: '#/$defs/named' }, { type: 'array' }] },
      size: { type: 'integer', anyOf: [{ type: 'number', minimum: 3 }] },
    },
  }
  it('is accepted, and so are the others', async () => {
    expect(await errorsOf(schema, { labels: [] })).toEqual([])
    expect(await errorsOf(schema, { labels: { name: 'bug' } })).toEqual([])
    expect(await errorsOf(schema, { size: 4 })).toEqual([])
  })

  it('is checked', async () => {
    const errors = await errorsOf(schema, { labels: { name: {} }, size: 3.5 })
    expect(errors).toContain('/labels/name type')
    expect(errors).toContain('/size type')
  })
})
