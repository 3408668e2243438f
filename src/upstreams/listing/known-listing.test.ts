import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aClient, aListing } from '../../../test/support/a-call.ts'
import { aLink } from '../../../test/support/a-link.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { SpokenEras } from '../spoken-eras.ts'
import { KnownListing } from './known-listing.ts'
import type { StoredListing } from './listing-store.ts'

function aKnown({ remembered, eras = {} }: { remembered?: StoredListing; eras?: SpokenEras } = {}) {
  const saved: StoredListing[] = []
  const changed: string[] = []
  const logged: string[] = []
  const known = new KnownListing({
    name: 'a',
    kind: 'stdio',
    store: { load: () => remembered, save: (now) => saved.push(now) },
    eras,
    changed: (method) => changed.push(method),
    log: (line) => logged.push(line),
  })
  return { known, saved, changed, logged }
}

const offering = (lists: Record<string, unknown>, version = '1') =>
  aLink(
    { capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { version } },
    {
      'tools/list': () => ({ tools: lists['tools'] ?? [] }),
      'resources/list': () => ({ resources: lists['resources'] ?? [] }),
      'resources/templates/list': () => ({ resourceTemplates: lists['templates'] ?? [] }),
      'prompts/list': () => ({ prompts: lists['prompts'] ?? [] }),
    },
  )

const fails = async () => Promise.reject(new RpcError(RPC.internalError, 'database is locked'))
const unknown = async () => Promise.reject(new RpcError(RPC.methodNotFound, 'no'))

describe('a listing', () => {
  it('keeps what was listed before where the server fails to list it now, and says so', async () => {
    const { known, saved, changed, logged } = aKnown()
    await known.refresh(offering({ tools: [{ name: 't' }], resources: [{ uri: 'x:1' }] }))
    changed.length = 0
    const failing = aLink(
      { capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { version: '1' } },
      {
        'tools/list': () => ({ tools: [{ name: 't' }] }),
        'resources/list': fails,
        'resources/templates/list': unknown,
        'prompts/list': fails,
      },
    )
    const now = await known.refresh(failing)
    expect(now.resources).toEqual([{ uri: 'x:1', name: 'x:1' }])
    expect(now.prompts).toEqual([])
    expect(now.leftOut?.map(({ kind, name }) => [kind, name])).toEqual([
      ['list', 'resources/list'],
      ['list', 'prompts/list'],
    ])
    expect(logged[0]).toBe('resources/list failed: database is locked')
    expect(changed).toEqual([])
    expect(saved.at(-1)?.listing.resources).toHaveLength(1)
    expect((await known.refresh(offering({ tools: [{ name: 't' }] }))).resources).toEqual([])
  })

  it('is the one on disk until the server has said another', async () => {
    const remembered: StoredListing = {
      listing: aListing('a', ['old']),
      asksClients: true,
      eras: { legacy: true },
    }
    const { known, saved } = aKnown({ remembered, eras: { modern: false } })
    expect(known.current).toBe(remembered.listing)
    expect([known.asksClients, known.eras]).toEqual([true, { legacy: true, modern: false }])
    const now = await known.refresh(offering({ tools: [{ name: 'new' }] }))
    expect(known.current).toBe(now)
    expect(now.tools.map(({ name }) => name)).toEqual(['new'])
    expect(saved.at(-1)?.listing).toBe(now)
    expect(aKnown().known.current.tools).toEqual([])
  })

  it.each([
    [{ tools: [{ name: 't' }] }, 'notifications/tools/list_changed'],
    [{ prompts: [{ name: 'p' }] }, 'notifications/prompts/list_changed'],
    [{ resources: [{ uri: 'x:y' }] }, 'notifications/resources/list_changed'],
    [{ templates: [{ uriTemplate: 'x:{y}' }] }, 'notifications/resources/list_changed'],
  ])(
    'that differs in %j tells so once, and one that does not tells nothing',
    async (lists, method) => {
      const { known, changed } = aKnown()
      await known.refresh(offering({}))
      expect(changed).toEqual([])
      await known.refresh(offering(lists))
      await known.refresh(offering(lists))
      expect(changed).toEqual([method])
    },
  )

  it('that was asked for earlier and arrives later does not replace a newer one', async () => {
    const { known } = aKnown()
    const answer = deferred<object>()
    const earlier = known.refresh(aLink({}, { 'tools/list': async () => answer.promise }))
    await known.refresh(offering({ tools: [{ name: 'new' }] }))
    answer.resolve({ tools: [{ name: 'old' }] })
    await earlier
    expect(known.current.tools.map(({ name }) => name)).toEqual(['new'])
  })

  it('that never arrives is given up, and the server is asked again', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { known } = aKnown()
    const silent = aLink({}, { 'tools/list': async () => new Promise(() => undefined) })
    const listing = known.refresh(silent).catch(String)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await listing).toContain('did not answer tools/list')
    expect(silent.sent[0]?.context.signal?.aborted).toBe(true)
    expect((await known.list(offering({ tools: [{ name: 'new' }] }))).tools).toHaveLength(1)
  })

  it('that is under way is shared; after a failure or a loss the server is asked again', async () => {
    const { known } = aKnown()
    const answer = deferred<object>()
    const slow = aLink({}, { 'tools/list': async () => answer.promise })
    const first = known.refresh(slow)
    const second = known.list(slow)
    answer.resolve({ tools: [{ name: 't' }] })
    expect(await second).toBe(await first)
    expect(await known.list(slow)).toBe(await first)
    expect(slow.sent).toHaveLength(1)
    known.lost()
    await known.list(slow)
    expect(slow.sent).toHaveLength(2)

    const failing = aLink({}, { 'tools/list': async () => Promise.reject(new Error('down')) })
    await expect(known.refresh(failing)).rejects.toThrow('down')
    expect(known.current.tools, 'the last one stays').toHaveLength(1)
    await known.list(slow)
    expect(slow.sent).toHaveLength(3)
  })
})

describe('whether a server asks its clients', () => {
  const asked = aClient({ capabilities: { roots: {} } })

  it('is yes from its first question on, and saved once', () => {
    const { known, saved } = aKnown()
    known.sawQuestion()
    known.sawQuestion()
    known.sawAnswer('tools/call', aLink(), asked)
    expect([known.asksClients, saved.length]).toEqual([true, 1])
  })

  it('is no once it has answered a call of a client that it could have asked', () => {
    const { known, saved } = aKnown()
    known.sawAnswer('tools/list', aLink(), asked)
    known.sawAnswer('tools/call', aLink({ era: 'modern' }), asked)
    known.sawAnswer('tools/call', aLink(), aClient())
    expect([known.asksClients, saved.length]).toEqual([undefined, 0])
    known.sawAnswer('tools/call', aLink(), asked)
    known.sawAnswer('tools/call', aLink(), asked)
    expect([known.asksClients, saved.length]).toEqual([false, 1])
    known.sawQuestion()
    expect(known.asksClients).toBe(true)
  })
})

describe('the eras of a server', () => {
  it('are learnt from its connections, and saved when they change', () => {
    const { known, saved } = aKnown()
    known.sawEra('modern', aLink())
    known.sawEra('modern', aLink())
    expect(known.eras).toEqual({ legacy: true, modern: false })
    expect(saved).toHaveLength(1)
  })

  it('that were tried in vain are tried again with another version of it', async () => {
    const { known } = aKnown()
    await known.refresh(offering({}, '1'))
    known.sawEra('modern', aLink())
    await known.refresh(offering({}, '1'))
    expect(known.eras).toEqual({ legacy: true, modern: false })
    await known.refresh(offering({}, '2'))
    expect(known.eras).toEqual({ legacy: true })
    const configured = aKnown({ eras: { modern: false } })
    await configured.known.refresh(offering({}, '2'))
    expect(configured.known.eras).toEqual({ modern: false })
  })
})
