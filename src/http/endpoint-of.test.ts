import { expect, it } from 'vitest'
import { endpointOf } from './endpoint-of.ts'

it.each([
  ['/mcp', '/mcp', undefined],
  ['/mcp/', '/mcp', undefined],
  ['/mcp/frontend', '/mcp', 'frontend'],
  ['/mcp/frontend/', '/mcp', 'frontend'],
  ['/mcp/two%20words', '/mcp', 'two words'],
  ['/mcp/%ff', '/mcp', '%ff'],
  ['/mcp?toolset=frontend', '/mcp', 'frontend'],
  ['/mcp/?toolset=', '/mcp', undefined],
  ['/sse/frontend?surface=direct', '/sse', 'frontend'],
  ['/mcp/frontend/more', '/mcp/frontend/more', undefined],
  ['/mcpx', '/mcpx', undefined],
  ['/messages?sessionId=1', '/messages', undefined],
])('%s is %s with the toolset %s', (address, path, toolset) => {
  const url = new URL(address, 'http://localhost')
  expect(endpointOf(url, ['/mcp', '/sse', '/ws'])).toEqual({ path, toolset })
})
