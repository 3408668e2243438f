import { expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Tool, Upstream } from '../upstream.ts'
import { ToolHistory } from './tool-history.ts'

const tool = (
  name: string,
  description = name,
  inputSchema: object = { type: 'object' },
): Tool => ({
  server: 'one',
  name,
  definition: { name, description, inputSchema },
  readOnly: false,
})

function server(...tools: readonly Tool[]): Upstream {
  return anUpstream({
    name: 'one',
    listing: { ...aListing('one'), tools, serverInfo: { name: 'one' } },
  })
}

function after(before: readonly Tool[], now: readonly Tool[]) {
  const history = new ToolHistory()
  history.observe([server(...before)], 1)
  history.observe([server(...now)], 2)
  return (name: string) => history.find({ server: 'one', name })
}

const text = { type: 'object', properties: { text: { type: 'string' } } }

it('a tool is gone since the listing that had it no more, and back with the one that has it again', () => {
  const history = new ToolHistory()
  const find = () => history.find({ server: 'one', name: 'a' })
  history.observe([server(tool('a'), tool('b'))], 1)
  expect(find()).toBeUndefined()
  history.observe([server(tool('b'))], 2)
  expect(find()).toEqual({ at: 2, withServer: false, successor: undefined })
  expect(history.find({ server: 'one', name: 'b' })).toBeUndefined()
  history.observe([server(tool('a'))], 3)
  expect(find()).toBeUndefined()
})

it.each([
  ['find_issue', 'description and schema', tool('find_issue', 'Searches', text)],
  ['lookup2', 'name and schema', tool('lookup2', 'Other words', text)],
  ['lookup2', 'name and description', tool('lookup2', 'Searches', { type: 'object' })],
])('%s takes its place with the same %s', (name, alike, added) => {
  const find = after([tool('lookup', 'Searches', text)], [added])
  expect(find('lookup')?.successor).toEqual({ name, alike })
})

it.each([
  ['it has only its schema in common', [tool('unlike', 'Other words', text)]],
  ['two are alike', [tool('one', 'Searches', text), tool('two', 'Searches', text)]],
])('nothing takes its place where %s', (_, added) => {
  expect(after([tool('lookup', 'Searches', text)], added)('lookup')).toMatchObject({
    at: 2,
    successor: undefined,
  })
})

it('what was there before takes the place of nothing', () => {
  const kept = tool('lookup2', 'Searches', text)
  expect(after([tool('lookup', 'Searches', text), kept], [kept])('lookup')?.successor).toBe(
    undefined,
  )
})

it('a restarted server that has not answered yet lost nothing; one that was removed lost all', () => {
  const history = new ToolHistory()
  history.observe([server(tool('a'))], 1)
  history.observe([anUpstream({ name: 'one', listing: aListing('one') })], 2)
  expect(history.find({ server: 'one', name: 'a' })).toBeUndefined()
  history.observe([anUpstream({ name: 'two' })], 3)
  expect(history.find({ server: 'one', name: 'a' })).toEqual({ at: 3, withServer: true })
  expect(history.removedAt('one')).toBe(3)
  history.observe([server(tool('a'))], 4)
  expect(history.find({ server: 'one', name: 'a' })).toBeUndefined()
  expect(history.removedAt('one')).toBeUndefined()
})

const listed = (...tools: readonly Tool[]) =>
  anUpstream({ name: 'one', listing: { ...aListing('one'), tools } })

it('a server that lists no tools any more has lost them; one that has not listed anything has not', () => {
  const history = new ToolHistory()
  history.observe([server(tool('a'))], 1)
  history.observe([server()], 2)
  expect(history.find({ server: 'one', name: 'a' })).toMatchObject({ at: 2, withServer: false })
  const nameless = new ToolHistory()
  nameless.observe([listed(tool('a'), tool('b'))], 1)
  nameless.observe([listed(tool('b'))], 2)
  expect(nameless.find({ server: 'one', name: 'a' })).toMatchObject({ at: 2 })
})

const bare = (name: string, inputSchema: object): Tool => ({
  ...tool(name),
  definition: { name, inputSchema },
})

it('a tool without a description is not alike because of that', () => {
  const find = after([bare('lookup', text)], [bare('unlike', text)])
  expect(find('lookup')).toMatchObject({ at: 2, successor: undefined })
  const near = after([bare('lookup', text)], [bare('lookup2', { type: 'object' })])
  expect(near('lookup')?.successor).toBeUndefined()
})

it('a near name alone takes the place of nothing', () => {
  const find = after(
    [tool('lookup', 'Searches', text)],
    [tool('lookup2', 'Other', { type: 'object' })],
  )
  expect(find('lookup')?.successor).toBeUndefined()
})

it('takes its place though many others are near in name', () => {
  const others = Array.from({ length: 9 }, (_, n) => tool(`lookup${n}`, `Other ${n}`, { n }))
  const find = after([tool('lookup', 'Searches', text)], [...others, tool('lookupx', 'Else', text)])
  expect(find('lookup')?.successor).toEqual({ name: 'lookupx', alike: 'name and schema' })
})

it('remembers five thousand tools that are gone, and forgets the first ones beyond that', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => tool(`t${n}`))
  const isKnown = (count: number) => after(many(count), [tool('left')])('t0') !== undefined
  expect([isKnown(5_000), isKnown(5_001)]).toEqual([true, false])
  const find = after(many(5_001), [tool('left')])
  expect(find('t1')).toBeDefined()
})
