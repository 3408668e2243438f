import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import type { ListName } from './check-definition.ts'
import { MAX_LIST_CHARS, checkList } from './check-list.ts'
import { toLegacyTool } from '../../protocol/eras/legacy/to-result.ts'
import { withUsableOutput } from './output-schema.ts'

const LIMIT = { maxChars: MAX_LIST_CHARS }
const TAKES_NOTHING = { type: 'object', properties: {} }
const good = { name: 'good', inputSchema: { type: 'object' } }

function checkOne(list: ListName, entry: unknown) {
  const { entries, leftOut } = checkList(list, [entry], LIMIT)
  return entries[0] ?? leftOut[0]?.reason
}

describe('a tool that clients would refuse', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['has no input schema', {}, { inputSchema: TAKES_NOTHING }],
    ['has null as its input schema', { inputSchema: null }, { inputSchema: TAKES_NOTHING }],
    [
      'has an input schema without a type',
      { inputSchema: { $schema: 'x' } },
      { inputSchema: { $schema: 'x', type: 'object' } },
    ],
    [
      'may also take null',
      { inputSchema: { type: ['null', 'object'] } },
      { inputSchema: { type: 'object' } },
    ],
    [
      'was written by PHP',
      { inputSchema: { type: 'object', properties: [] }, annotations: [] },
      { inputSchema: { type: 'object' } },
    ],
    [
      'has boolean schemas',
      { inputSchema: { type: 'object', properties: { a: true, b: false, c: {} } } },
      { inputSchema: { type: 'object', properties: { a: {}, b: { not: {} }, c: {} } } },
    ],
    [
      'has null in optional fields',
      { ...good, title: null, description: null, icons: null, outputSchema: null, _meta: null },
      { inputSchema: { type: 'object' } },
    ],
    [
      'has hints that are no booleans',
      { ...good, annotations: { readOnlyHint: 'yes', title: 'T' }, execution: { taskSupport: 1 } },
      { inputSchema: { type: 'object' }, annotations: { title: 'T' }, execution: {} },
    ],
    [
      'hides text in what it says',
      {
        description: 'Adds\u{E0053}\u{E0065}\u202E two',
        inputSchema: { type: 'object', properties: { title: { description: 'a\u{E0041}b' } } },
      },
      {
        description: 'Adds two',
        inputSchema: { type: 'object', properties: { title: { description: 'ab' } } },
      },
    ],
  ])('is repaired if it %s', (_, given, expected) => {
    expect(checkOne('tools', { ...given, name: 't' })).toEqual({ ...expected, name: 't' })
  })

  it.each<[string, unknown]>([
    ['it is no object', 5],
    ['it has no name', { inputSchema: {} }],
    ['it has no name', { name: '' }],
    ['its name has 501 characters, more than 500', { name: 'x'.repeat(501) }],
    ['its name has invisible characters', { name: 'a\u{E0041}' }],
    ['its inputSchema is no JSON Schema', { name: 't', inputSchema: 'object' }],
    [
      'its inputSchema is of type "string", and arguments are an object',
      { name: 't', inputSchema: { type: 'string' } },
    ],
    ['the properties of its schema are no object', { ...good, inputSchema: { properties: 'a' } }],
    ['it takes more than 256 KB', { ...good, description: 'x'.repeat(300_000) }],
    [
      'it is nested more than 100 levels deep',
      { ...good, inputSchema: JSON.parse(`${'{"items":'.repeat(200)}{}${'}'.repeat(200)}`) },
    ],
  ])('is left out, because %s', (reason, given) => {
    expect(checkOne('tools', given)).toBe(reason)
  })
})

it('repairs and leaves out prompts and resources too', () => {
  expect(checkOne('prompts', { name: 'p', arguments: null })).toEqual({ name: 'p' })
  expect(checkOne('prompts', { name: 'p', arguments: [{ name: 'a', required: 'no' }] })).toEqual({
    name: 'p',
    arguments: [{ name: 'a' }],
  })
  expect(checkOne('prompts', { name: 'p', arguments: [{}] })).toBe(
    'one of its arguments has no name',
  )
  expect(checkOne('resources', { uri: 'a:b', size: '7', annotations: { priority: 2 } })).toEqual({
    uri: 'a:b',
    name: 'a:b',
    annotations: {},
  })
  expect(checkOne('resourceTemplates', { name: 't' })).toBe('it has no uriTemplate')
})

it('keeps the first of two tools with one name, and says so only if they differ', () => {
  const other = { ...good, description: 'Replaces the other' }
  expect(checkList('tools', [good, good, other], LIMIT)).toEqual({
    entries: [good],
    leftOut: [
      { kind: 'tool', name: 'good', reason: 'the list has two with this name; the first is used' },
    ],
  })
})

it('returns good definitions as they are, and names only some of many that are left out', () => {
  const { entries, leftOut } = checkList(
    'tools',
    [good, ...Array.from({ length: 60 }, () => null)],
    LIMIT,
  )
  expect(entries).toEqual([good])
  expect(entries[0]).toBe(good)
  expect(leftOut).toHaveLength(51)
  expect(leftOut.at(-1)?.reason).toBe('10 more are left out')
})

it('leaves out what would make the list too long for clients', () => {
  const large = Array.from({ length: 30 }, (_, index) => ({
    ...good,
    name: `t${index}`,
    description: 'x'.repeat(200_000),
  }))
  const { entries, leftOut } = checkList('tools', large, LIMIT)
  expect(entries).toHaveLength(20)
  expect(leftOut[0]?.reason).toBe('the list takes more than 4096 KB')
})

async function usable(outputSchema: unknown, era: 'legacy' | 'modern' = 'modern') {
  return (await withUsableOutput({ ...good, outputSchema }, era))['outputSchema']
}

describe('an output schema', () => {
  it.each([
    { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } },
    { type: 'array', items: { type: 'string' } },
    { anyOf: [{ type: 'string' }, { type: 'object' }] },
  ])('is kept if it compiles: %j', async (schema) => {
    expect(await usable(schema)).toBe(schema)
  })

  it.each([
    { type: 'object', properties: { a: { $ref: '#/missing' } } },
    { type: 'object', properties: { a: { pattern: '(' } } },
    { type: 'object', properties: { a: { nullable: true } } },
    { $ref: '#' },
  ])('is dropped if it does not: %j', async (schema) => {
    expect(await usable(schema)).toBeUndefined()
  })

  it('is kept if it is as large as those of published servers', async () => {
    const text = { type: 'string', description: 'x'.repeat(50) }
    const properties = Object.fromEntries(
      Array.from({ length: 1_150 }, (_, at) => [`field${at}`, text]),
    )
    const schema = { type: 'object', properties }
    expect(await usable(schema)).toBe(schema)
    const oneText = { type: 'object', properties: { a: { enum: ['x'.repeat(70_000)] } } }
    expect(await usable(oneText)).toBe(oneText)
    const [shown] = [{ name: 't', outputSchema: { type: 'array', items: schema } }].map(
      toLegacyTool,
    )
    expect(shown?.outputSchema).toMatchObject({ type: 'object', required: ['result'] })
  })

  it('is dropped if clients would need long to compile it', async () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `field${at}`)
    const dependencies = Object.fromEntries(names.map((name) => [name, ['a']]))
    expect(await usable({ type: 'object', dependencies })).toBeUndefined()
    const properties = Object.fromEntries(names.map((name) => [name, {}]))
    expect(await usable({ type: 'object', properties })).toBeUndefined()
    const $defs = { a: { allOf: Array.from({ length: 100 }, (_, minLength) => ({ minLength })) } }
    const refers = Array.from({ length: 20 }, () => ({ $ref: '#/$defs/a' }))
    const choices = Array.from({ length: 300 }, (_, minimum) => ({ minimum }))
    expect(await usable({ type: 'object', $defs, allOf: refers })).toBeUndefined()
    expect(await usable({ anyOf: choices })).toBeUndefined()
    expect(await usable({ anyOf: choices.slice(0, 20) })).toBeDefined()
    const tool = { ...good, outputSchema: { type: 'object' } }
    const spent = await withUsableOutput(tool, 'modern', { left: 0 })
    expect(spent, 'beside many others').toEqual(good)
  })

  it('is of type object where its values can be nothing else', async () => {
    expect(await usable({}, 'legacy')).toEqual({ type: 'object' })
    expect(await usable({}, 'modern')).toEqual({})
    const schema = { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { properties: {} } } }
    expect(await usable(schema)).toEqual({ ...schema, type: 'object' })
  })

  it('has no id, by which another server could replace it', async () => {
    const schema = { type: 'object', properties: { $id: { $id: 'x:y', type: 'string' } } }
    expect(await usable({ ...schema, $id: 'x:z' })).toEqual({
      type: 'object',
      properties: { $id: { type: 'string' } },
    })
  })
})

it('says which tool hides text', () => {
  const hiding = { ...good, description: 'Adds\u{E0053} two' }
  const { entries, leftOut } = checkList('tools', [hiding, { ...good, name: 'plain' }])
  expect(entries).toHaveLength(2)
  expect(leftOut).toMatchObject([{ kind: 'hidden text of tool', name: 'good' }])
})
