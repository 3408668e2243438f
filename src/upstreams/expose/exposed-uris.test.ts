import { describe, expect, it } from 'vitest'
import { aClient, aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { rawText, rememberText } from '../../protocol/raw-text.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import { expose } from './expose.ts'

const context = { signal: new AbortController().signal, client: aClient(), agent: undefined }

/** What a server called `a` answers, seen from outside, and what it was asked. */
async function through(method: string, result: JsonObject, params: JsonObject = {}) {
  const asked: JsonObject[] = []
  const upstream = anUpstream({
    name: 'a',
    request: async (_method, given) => {
      asked.push(given)
      return result
    },
  })
  return { result: await expose(upstream).request(method, params, context), asked: asked[0] }
}

describe('a server with URIs of its own', () => {
  it('lists resources, templates and pages of tools under them', () => {
    const listing = {
      ...aListing('a', ['plain', 'flat', 'shown']),
      resources: [{ uri: 'ui://map', name: 'Map' }],
      resourceTemplates: [{ uriTemplate: 'note://{id}' }],
    }
    const [plain, flat, shown] = listing.tools
    const metas = [
      undefined,
      { 'ui/resourceUri': 'ui://map' },
      { ui: { resourceUri: 'ui://map', visibility: ['app'] }, more: 1 },
    ]
    const tools = [plain, flat, shown].flatMap((tool, at) =>
      tool ? [{ ...tool, definition: { ...tool.definition, _meta: metas[at] } }] : [],
    )
    const outside = expose(anUpstream({ name: 'a', listing: { ...listing, tools } }))
    expect(outside.listing.resources).toEqual([{ uri: 'ui://a+map', name: 'Map' }])
    expect(outside.listing.resourceTemplates).toEqual([{ uriTemplate: 'note://a+{id}' }])
    expect(outside.listing.tools.map(({ definition }) => definition['_meta'])).toEqual([
      undefined,
      { 'ui/resourceUri': 'ui://a+map' },
      { ui: { resourceUri: 'ui://a+map', visibility: ['app'] }, more: 1 },
    ])
    // Indexes know a listing by its identity.
    expect(outside.listing).toBe(outside.listing)
    expect(outside.listing.tools[0]).toBe(tools[0])
  })

  it('answers with links and embedded resources that come back to it', async () => {
    const text = { type: 'text', text: 'see note://1' }
    const { result } = await through('tools/call', {
      content: [
        text,
        { type: 'resource_link', uri: 'note://1', name: 'One' },
        { type: 'resource', resource: { uri: 'note://2', text: 'two' } },
      ],
      structuredContent: { uri: 'note://1' },
      _meta: { ui: { resourceUri: 'ui://map' } },
    })
    expect(result).toEqual({
      content: [
        text,
        { type: 'resource_link', uri: 'note://a+1', name: 'One' },
        { type: 'resource', resource: { uri: 'note://a+2', text: 'two' } },
      ],
      structuredContent: { uri: 'note://1' },
      _meta: { ui: { resourceUri: 'ui://a+map' } },
    })
  })

  it('answers prompts and finished tasks in the same way', async () => {
    const block = { type: 'resource', resource: { uri: 'note://2', text: 'two' } }
    const renamed = { type: 'resource', resource: { uri: 'note://a+2', text: 'two' } }
    const messages = [
      { role: 'user', content: block },
      { role: 'user', content: [block] },
    ]
    expect((await through('prompts/get', { messages })).result).toEqual({
      messages: [
        { role: 'user', content: renamed },
        { role: 'user', content: [renamed] },
      ],
    })
    const task = { taskId: '1', result: { content: [block] } }
    expect((await through('tasks/get', task)).result).toEqual({
      taskId: '1',
      result: { content: [renamed] },
    })
  })

  it('passes a result without resources as it came, with its text', async () => {
    const given: JsonObject = { content: [{ type: 'text', text: 'x' }], _meta: { ui: {} } }
    rememberText(given, '{"content":[…]}')
    const { result } = await through('tools/call', given)
    expect(result).toBe(given)
    expect(rawText(result)).toBe('{"content":[…]}')
    const other = { contents: [{ uri: 'x://1' }] }
    expect((await through('completion/complete', other)).result).toBe(other)
  })

  it('is asked in its own terms', async () => {
    const contents = [{ uri: 'ui://map', text: '<p>' }]
    const read = await through('resources/read', { contents }, { uri: 'ui://a+map', more: 1 })
    expect(read.asked).toEqual({ uri: 'ui://map', more: 1 })
    expect(read.result).toEqual({ contents: [{ uri: 'ui://a+map', text: '<p>' }] })
    const ref = { type: 'ref/resource', uri: 'note://a+{id}' }
    const completed = await through('completion/complete', {}, { ref, argument: { name: 'id' } })
    expect(completed.asked).toMatchObject({ ref: { uri: 'note://{id}' }, argument: { name: 'id' } })
    // Arguments are the tool's own, whatever they hold.
    const args = { name: 't', arguments: { uri: 'note://a+1' } }
    expect((await through('tools/call', {}, args)).asked).toBe(args)
  })

  it('is watched in its own terms, and reports in ours', async () => {
    const watched: string[] = []
    const listeners: Parameters<Upstream['onNotification']>[0][] = []
    const emit: (typeof listeners)[number] = (method, params) => listeners[0]?.(method, params)
    const outside = expose(
      anUpstream({
        name: 'a',
        watch: async (uri) => {
          watched.push(uri)
          return () => void watched.push(`not ${uri}`)
        },
        onNotification: (listener) => {
          listeners.push(listener)
          return () => {}
        },
      }),
    )
    const unwatch = await outside.watch('note://a+1', aClient())
    unwatch()
    expect(watched).toEqual(['note://1', 'not note://1'])
    const heard: unknown[] = []
    outside.onNotification((method, params) => heard.push([method, params]))
    emit('notifications/resources/updated', { uri: 'note://1' })
    emit('notifications/tools/list_changed', {})
    expect(heard).toEqual([
      ['notifications/resources/updated', { uri: 'note://a+1' }],
      ['notifications/tools/list_changed', {}],
    ])
  })

  it('has the same URIs for each person who uses it', async () => {
    const listing = { ...aListing('a', []), resources: [{ uri: 'note://1' }] }
    const ofAda = anUpstream({ name: 'a', listing })
    const outside = expose(anUpstream({ name: 'a', as: () => ofAda }))
    expect(outside.as?.('ada').listing.resources).toEqual([{ uri: 'note://a+1' }])
    expect(outside.as?.('ada')).toBe(outside.as?.('ada'))
  })

  it('hands over to its successor without renaming twice, and only the tools it offers', async () => {
    const given: (Upstream | undefined)[] = []
    const inner = anUpstream({
      name: 'a',
      listing: { ...aListing('a', ['old', 'new']), resources: [{ uri: 'note://1' }] },
      request: async (_method, params) => ({ contents: [{ uri: params['uri'] }] }),
    })
    const old = expose(
      anUpstream({ name: 'a', close: async (successor) => void given.push(successor) }),
    )
    await old.close(expose(inner, { choices: [{ without: ['old'] }] }))
    await old.close()
    const [successor, none] = given
    expect(none).toBeUndefined()
    expect(successor?.listing).toMatchObject({
      tools: [{ name: 'new' }],
      resources: [{ uri: 'note://1' }],
    })
    const read = { uri: 'note://a+1' }
    expect(await successor?.request('resources/read', read, context)).toEqual({ contents: [read] })
    const refused = successor?.request('tools/call', { name: 'old' }, context)
    await expect(refused).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })
})
