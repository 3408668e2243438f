import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromText, toText } from './script-text.ts'

const SCRIPT = {
  name: 'late_births',
  description: 'Counts animals born after a month',
  inputSchema: { type: 'object', properties: { month: { type: 'integer' } } },
  source: '// Born after a month.\nreturn input.month\n',
  state: 'approved',
  author: 'ada',
  savedAt: '2026-11-18T10:00:00.000Z',
  approvedBy: 'eve',
} as const

it('is a text that a person reads and edits', async () => {
  const text = await toText(SCRIPT)
  expect(text).toBe(`// description: Counts animals born after a month
// input:
//   type: object
//   properties:
//     month:
//       type: integer
// author: ada
// saved: 2026-11-18T10:00:00.000Z
// approved_by: eve
// ---
// Born after a month.
return input.month
`)
  expect(await fromText('late_births.ts', text)).toMatchObject(SCRIPT)
  const byHand = '// description: Adds one\r\n// ---\r\nreturn input.n + 1'
  expect(await fromText('add_one.ts', byHand)).toMatchObject({
    name: 'add_one',
    description: 'Adds one',
    inputSchema: { type: 'object', properties: {} },
    source: 'return input.n + 1',
    author: '',
  })
})

it('says what is wrong with a text by hand', async () => {
  await expect(fromText('one.ts', 'return 1')).rejects.toThrow('does not say what it does')
  await expect(fromText('one.ts', '// author: me\n// ---\n1')).rejects.toThrow('description')
  await expect(fromText('No Name.ts', '// description: x\n// ---\n1')).rejects.toThrow('not a name')
  await expect(fromText('one.ts', '// a: [\n// ---\n1')).rejects.toThrow('Flow')
})

it('is read as it was written, whatever an agent writes into it', async () => {
  const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
  const tricky = fc.constantFrom(
    '// ---\n',
    '---',
    '\n// ---\nevil()',
    '*/',
    ': ',
    '\r\n',
    '#',
    '\u2028',
  )
  const line = fc.array(fc.oneof(anyText, tricky), { minLength: 1, maxLength: 4 })
  const texts = line.map((parts) => `x${parts.join('')}x`)
  await fc.assert(
    fc.asyncProperty(texts, texts, texts, async (description, source, title) => {
      const script = { ...SCRIPT, state: 'proposed' as const, description, source }
      const inputSchema = { type: 'object', title, properties: {} }
      const read = await fromText('proposed/', await toText({ ...script, inputSchema }))
      expect(read).toMatchObject({ description, source, inputSchema, name: 'late_births' })
    }),
    { numRuns: 40 },
  )
})
