import { expect, it } from 'vitest'
import { limitTo, toLimits } from './to-limits.ts'

it('limits nothing when nothing is named', () => {
  expect(toLimits({})).toBeUndefined()
})

it('takes the servers of named tools along', () => {
  expect(toLimits({ servers: ['files'], tools: ['pg.query', 'pg.read.all'] })).toEqual({
    servers: ['files', 'pg'],
    tools: { pg: ['query', 'read.all'] },
  })
})

it('does not widen a list of servers by a tool on every server', () => {
  expect(toLimits({ servers: ['files'], tools: ['*.read'] })?.servers).toEqual(['files'])
  expect(toLimits({ tools: ['*.read'] })?.servers).toEqual(['*'])
})

it('allows no server when the list is empty', () => {
  expect(toLimits({ servers: [] })?.servers).toEqual([])
})

it.each(['query', '.query', 'pg.'])('refuses "%s" as a tool', (tool) => {
  expect(() => toLimits({ tools: [tool] })).toThrow('does not name a tool')
})

it('limits by patterns of each server in the same way, whatever the server is called', () => {
  expect(limitTo({})).toBeUndefined()
  expect(limitTo({ tools: { 'a.b': ['c'] } })).toEqual({
    servers: ['a.b'],
    tools: { 'a.b': ['c'] },
  })
  expect(limitTo({ servers: ['files'], tools: { pg: ['query'] } })?.servers).toEqual([
    'files',
    'pg',
  ])
  expect(limitTo({ servers: ['files'], tools: { '*': ['read'] } })?.servers).toEqual(['files'])
})

it('opens nothing for a server of which no tool is named', () => {
  expect(limitTo({ tools: { pg: [] } })).toEqual({ servers: [], tools: {} })
})
