import { expect, it } from 'vitest'
import { aLink } from '../../../test/support/a-link.ts'
import { SKILLS_EXTENSION } from '../../protocol/skills.ts'
import { fetchListing, marksOf, toTool } from './listing.ts'

const ALL = { tools: {}, resources: {}, prompts: {}, extensions: { [SKILLS_EXTENSION]: {} } }
const refuses = async () => Promise.reject(new Error('no'))

it('asks for what a server offers, page by page, and for nothing else', async () => {
  const link = aLink(
    { capabilities: ALL, instructions: 'how', serverInfo: { name: 's' } },
    {
      'tools/list': ({ cursor }) =>
        cursor === undefined
          ? { tools: [{ name: 'a' }, 'broken'], nextCursor: 'more' }
          : { tools: [{ name: cursor }] },
      'resources/list': () => ({ resources: [{ uri: 'x:1' }] }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'x:{n}' }] }),
      'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
      'skills/list': () => ({ skills: [{ uri: 'skill://a' }] }),
    },
  )
  const listing = await fetchListing('s', link)
  expect(listing.tools.map(({ server, name }) => [server, name])).toEqual([
    ['s', 'a'],
    ['s', 'more'],
  ])
  expect(listing).toMatchObject({
    resources: [{ uri: 'x:1' }],
    resourceTemplates: [{ uriTemplate: 'x:{n}' }],
    prompts: [{ name: 'p' }],
    skills: [{ uri: 'skill://a' }],
    instructions: 'how',
    serverInfo: { name: 's' },
    capabilities: ALL,
  })
  const silent = aLink({ capabilities: {} })
  expect(await fetchListing('s', silent)).toMatchObject({
    tools: [],
    resources: [],
    resourceTemplates: [],
    prompts: [],
    skills: undefined,
  })
  expect(silent.sent).toEqual([])
})

it('uses the tools of a server that lists nothing else, and fails where it lists no tools', async () => {
  const rest = {
    'resources/list': refuses,
    'resources/templates/list': refuses,
    'prompts/list': refuses,
    'skills/list': refuses,
  }
  const link = aLink(
    { capabilities: ALL },
    { ...rest, 'tools/list': () => ({ tools: [{ name: 'a' }] }) },
  )
  expect(await fetchListing('s', link)).toMatchObject({
    tools: [{ name: 'a' }],
    resources: [],
    prompts: [],
    skills: [],
  })
  await expect(
    fetchListing('s', aLink({ capabilities: ALL }, { 'tools/list': refuses })),
  ).rejects.toThrow('no')
})

it('stops at a cursor that comes again, as from servers behind a proxy that drops it', async () => {
  const link = aLink(
    { capabilities: { tools: {} } },
    { 'tools/list': () => ({ tools: [{ name: 'a' }], nextCursor: '8' }) },
  )
  const { tools } = await fetchListing('s', link)
  expect(tools.map(({ name }) => name)).toEqual(['a'])
  expect(link.sent).toHaveLength(2)
})

const readOnly = (annotations: unknown) => toTool('s', { name: 'a', annotations }).readOnly

it('takes a tool for read-only where it says so, and for nothing else', () => {
  expect([readOnly({ readOnlyHint: true }), readOnly({ readOnlyHint: 'yes' })]).toEqual([
    true,
    false,
  ])
  expect([readOnly({}), readOnly(undefined), readOnly('x')]).toEqual([false, false, false])
})

it('lists once what a server names twice, and asks for no page without end', async () => {
  const twice = aLink(
    {},
    {
      'tools/list': ({ cursor }) => ({
        tools: [{ name: 'a', description: cursor }, { name: `b${String(cursor)}` }],
        ...(cursor === undefined && { nextCursor: '2' }),
      }),
    },
  )
  const { tools } = await fetchListing('s', twice)
  expect(tools.map(({ name }) => name)).toEqual(['a', 'bundefined', 'b2'])
  const endless = aLink(
    {},
    { 'tools/list': ({ cursor = '' }) => ({ tools: 'none', nextCursor: `${String(cursor)}.` }) },
  )
  expect((await fetchListing('s', endless)).tools).toEqual([])
  expect(endless.sent).toHaveLength(1000)
  const odd = aLink({}, { 'tools/list': () => ({ tools: [{ name: 'a' }], nextCursor: 7 }) })
  await fetchListing('s', odd)
  expect(odd.sent.map(({ params }) => params)).toEqual([{}])
})

const wanting = (name: string, header: string) => ({
  name,
  inputSchema: { type: 'object', properties: { at: { type: 'string', 'x-mcp-header': header } } },
})

it('leaves out, over HTTP only, a tool whose headers could be mistaken for others', async () => {
  const tools = [wanting('good', 'Region'), wanting('bad', 'a: b'), { name: 'plain' }]
  const namesOver = async (isHttp: boolean) =>
    (await fetchListing('s', aLink({}, { 'tools/list': () => ({ tools }) }), { isHttp })).tools.map(
      ({ name }) => name,
    )
  expect(await namesOver(true)).toEqual(['good', 'plain'])
  expect(await namesOver(false)).toEqual(['good', 'bad', 'plain'])
})

it('knows which tools want headers, and finds that out once a listing', async () => {
  const tools = [wanting('good', 'Region'), { name: 'plain' }]
  const listing = await fetchListing('s', aLink({}, { 'tools/list': () => ({ tools }) }), {
    isHttp: true,
  })
  const marks = marksOf(listing)
  expect([...marks]).toEqual([['good', [{ header: 'Region', path: ['at'] }]]])
  expect(marksOf(listing)).toBe(marks)
})
