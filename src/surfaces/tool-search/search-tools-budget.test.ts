import { expect, it } from 'vitest'
import type { Tool } from '../../gateway/upstream.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { searchTools } from './search-tools.ts'
import { ToolIndex } from './tool-index.ts'

const OPTIONAL = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [`parameter_number_${at}`, { type: 'string' }]),
)

/** A tool with many optional parameters. */
function aWideTool(verb: string): Tool {
  const name = `${verb}_issue_comment`
  const inputSchema = {
    type: 'object',
    properties: { owner: { type: 'string' }, ...OPTIONAL },
    required: ['owner'],
  }
  const definition = { name, description: `To ${verb} comments of an issue`, inputSchema }
  return { server: 'github', name, definition, readOnly: false }
}

function ask(more: Partial<Parameters<typeof searchTools>[1]> = {}) {
  const index = new ToolIndex()
  index.update(['create', 'list', 'update', 'close', 'lock'].map(aWideTool))
  const answer = searchTools(index, { requests: ['issue comment'], permits: () => true, ...more })
  const calls = [answer['tools']].flat().map((tool) => JSON.stringify(tool))
  return { answer, calls, tokens: countTokens(JSON.stringify(answer)) }
}

it('stays within the tokens it is given and says how many it left out', () => {
  const { answer, calls, tokens } = ask({ maxTokens: 160 })
  expect(tokens).toBeLessThanOrEqual(160)
  expect(calls.length).toBeGreaterThan(0)
  expect(answer['omitted']).toBe(5 - calls.length)
})

it('shows even the first tool with what a call needs and no more, if only that fits', () => {
  const { calls, tokens } = ask({ maxTokens: 105 })
  expect(tokens).toBeLessThanOrEqual(105)
  expect(calls).toEqual([expect.stringContaining('(owner: string, …12 optional)')])
})

it('says that there is no room, not that nothing was found', () => {
  expect(ask({ maxTokens: 70 }).answer).toMatchObject({
    tools: [],
    omitted: 5,
    next: 'Tools were found, but max_tokens has room for none of them: give more.',
  })
})

it('shows the last tools of a long list with what a call needs and no more', () => {
  const { calls, tokens } = ask()
  expect(calls).toHaveLength(5)
  expect(calls[0]).toContain('parameter_number_5?')
  expect(calls[4]).toContain('(owner: string, …12 optional)')
  expect(tokens).toBeLessThanOrEqual(320)
  expect(ask({ limit: 1 }).calls[0]).toContain('parameter_number_5?')
})

it('leaves room for what the answer shows besides', () => {
  const { calls, tokens } = ask({ otherTokens: 60 })
  expect(calls).toHaveLength(5)
  expect(tokens).toBeLessThanOrEqual(260)
})
