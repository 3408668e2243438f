import { expect, it } from 'vitest'
import { parseHookInput } from './hook-input.ts'

it.each(['args', 'arguments'])('reads the tool behind execute_tool, with its %s', (key) => {
  const tool_input = { server: 'traces', tool: 'vote_trace', [key]: { id: 7 } }
  const text = JSON.stringify({ tool_name: 'mcp__portolan__execute_tool', tool_input })
  expect(parseHookInput(text)).toMatchObject({ tool: 'vote_trace', args: { id: 7 } })
})
