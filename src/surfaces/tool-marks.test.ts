import { expect, it } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { withMarks } from './tool-marks.ts'

const clientNamed = (name: string) => aClient({ info: { name } })
const CLAUDE = clientNamed('claude-code')

function marksOf(
  own: object | undefined,
  { client = CLAUDE, maxTokens, asks = false }: Partial<Parameters<typeof withMarks>[2]>,
) {
  const definition = { name: 'create_customer', ...(own && { _meta: own }) }
  const tool = { server: 'stripe', name: 'create_customer', definition, readOnly: false }
  return withMarks(definition, tool, { client, maxTokens, asks })['_meta']
}

it('tells Claude Code the everyday words of a tool, and no other client', () => {
  expect(marksOf(undefined, {})).toMatchObject({
    'anthropic/searchHint': expect.stringMatching(/client, buyer.*payment/),
  })
  expect(marksOf(undefined, { client: clientNamed('codex-mcp-client') })).toBeUndefined()
  expect(marksOf(undefined, { client: clientNamed('codex'), asks: true })).toEqual({
    'anthropic/requiresUserInteraction': true,
  })
})

it.each([
  [undefined, undefined],
  [25_000, undefined],
  [60_000, 240_000],
  [1_000_000, 500_000],
])('with a budget of %s tokens, it keeps %s characters of a result', (maxTokens, chars) => {
  const marks = {
    'anthropic/maxResultSizeChars': undefined,
    ...Object(marksOf(undefined, { maxTokens })),
  }
  expect(marks['anthropic/maxResultSizeChars']).toBe(chars)
})

it('leaves what the server itself says', () => {
  const own = { 'anthropic/searchHint': 'mine', 'anthropic/maxResultSizeChars': 7, x: 1 }
  expect(marksOf(own, { maxTokens: 60_000 })).toEqual(own)
})
