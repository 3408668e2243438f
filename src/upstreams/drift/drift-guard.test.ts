import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { DefinitionChange, Listing } from '../../gateway/upstream.ts'
import { checkList } from '../listing/check-list.ts'
import { EMPTY_LISTING, toTool } from '../listing/listing.ts'
import { type AcceptedStore, createAcceptedStore } from './accepted-store.ts'
import { DriftGuard, type DriftGuardOptions } from './drift-guard.ts'
import { toAccepted } from './definition.ts'
import type { FindSuspects } from './classify.ts'

const READ = { name: 'read', annotations: { readOnlyHint: true } }
const WRITE = { name: 'write', description: 'Writes a file.' }
const CHANGED = { name: 'read', annotations: {} }
const POISONED = { ...WRITE, description: 'Writes a file. secretly!', title: 'Write' }

const findSuspects: FindSuspects = ({ description = '' }) =>
  String(description).includes('secretly')
    ? [{ class: 'high', rule: 'r', quote: 'secretly', reason: 'orders', where: 'description' }]
    : []

function listed(tools: readonly JsonObject[], more: Partial<Listing> = {}): Listing {
  return {
    ...EMPTY_LISTING,
    serverInfo: { name: 'files' },
    tools: tools.map((definition) => toTool('files', definition)),
    variant: 'legacy',
    ...more,
  }
}

function guarded(parts: Partial<DriftGuardOptions> = {}, folder = tempFolder().path) {
  const reported: DefinitionChange[] = []
  const warned: string[] = []
  const store = createAcceptedStore(folder, 'files', {})
  const open = (more: Partial<DriftGuardOptions> = {}) =>
    new DriftGuard({
      server: 'files',
      store: createAcceptedStore(folder, 'files', {}),
      suspectsAmong: () => findSuspects,
      report: (changes) => reported.push(...changes),
      warn: (message) => warned.push(message),
      ...parts,
      ...more,
    })
  return { open, guard: open(), store, reported, warned, folder }
}

const input = (properties: JsonObject, required: string[]) =>
  listed([{ ...READ, inputSchema: { type: 'object', properties, required } }])
const names = ({ tools }: Listing) => tools.map(({ name }) => name)
/** Why a call is refused; undefined if it is not. */
function call(guard: DriftGuard, listing: Listing, name: string): string | undefined {
  try {
    guard.check(listing, 'tools/call', { name })
    return undefined
  } catch (error) {
    return String(error)
  }
}

const reasonOfNames = 'title: names ("read,write")'

describe('DriftGuard', () => {
  it('accepts what a server lists first, and says nothing about it', () => {
    const { guard, reported, store } = guarded()
    const listing = listed([READ, WRITE])
    expect(guard.view(listing)).toBe(listing)
    expect(reported).toEqual([])
    expect(Object.keys(store.load()?.accepted.tools ?? {})).toEqual(['read', 'write'])
  })

  it('hides a tool whose annotations changed, whoever asks, and over a restart', () => {
    const { guard, open, reported } = guarded()
    guard.view(listed([READ, WRITE]))
    for (const restart of [() => guard, open, open]) {
      const one = restart()
      const now = listed([CHANGED, WRITE], { variant: 'modern elicitation' })
      expect(names(one.view(now))).toEqual(['write'])
      expect(call(one, now, 'read')).toMatch(/is held since 20/)
      expect(call(one, now, 'write')).toBeUndefined()
    }
    expect(reported).toHaveLength(1)
  })

  it('keeps the accepted text where only that changed for the worse', () => {
    const { guard } = guarded()
    guard.view(listed([WRITE]))
    const [tool] = guard.view(listed([POISONED])).tools
    expect(tool?.definition).toEqual(WRITE)
    expect(call(guard, listed([POISONED]), 'write')).toBeUndefined()
  })

  it('applies compatible changes, and reports each once', () => {
    const { guard, reported } = guarded()
    guard.view(listed([READ]))
    const other = { ...READ, description: 'Reads' }
    for (const tool of [other, READ, other, READ]) {
      const [shown] = guard.view(listed([tool])).tools
      expect(shown?.definition).toBe(tool)
    }
    expect(reported.map(({ class: kind }) => kind)).toEqual(['compatible'])
  })

  it('takes each compatible change as the base of the next', () => {
    const { guard, reported } = guarded()
    guard.view(input({}, []))
    guard.view(input({ a: {} }, []))
    expect(names(guard.view(input({ a: {} }, ['a'])))).toEqual(['read'])
    expect(reported.some(({ held }) => held)).toBe(false)
  })

  it('accepts what a server offers in addition to clients that can do more', () => {
    const { guard, reported } = guarded()
    guard.view(listed([READ]))
    const more = listed([READ, WRITE], { variant: 'legacy sampling' })
    for (let time = 0; time < 3; time += 1) {
      expect(names(guard.view({ ...more }))).toEqual(['read', 'write'])
      expect(names(guard.view(listed([READ])))).toEqual(['read'])
    }
    expect(reported).toEqual([])
    const later = { ...more, tools: [...more.tools, toTool('files', { name: 'delete_all' })] }
    expect(names(guard.view(later))).toEqual(['read', 'write'])
  })

  it('decides nothing by a listing that is put together of several people', () => {
    const { guard, store } = guarded()
    guard.view(listed([READ]))
    const before = store.load()
    const merged = listed([READ, WRITE, { name: 'get_it' }], { variant: undefined })
    expect(names(guard.view(merged))).toEqual(['read', 'get_it'])
    expect(store.load()).toEqual(before)
    guard.view(listed([READ, WRITE], { variant: 'legacy for ada' }))
    expect(names(guard.view(merged))).toEqual(['read', 'write', 'get_it'])
  })

  it('shows an accepted change from then on, and tells listeners', () => {
    const { guard, open } = guarded()
    const told = vi.fn()
    guard.onChange(told)
    guard.view(listed([READ, WRITE]))
    const now = listed([CHANGED, POISONED])
    guard.view(now)
    const digests = guard.review.changes.map(({ digest }) => digest)
    expect(digests).toHaveLength(2)
    expect(guard.decide(digests.slice(0, 1), true)).toMatchObject([{ name: 'read' }])
    expect(told).toHaveBeenCalledTimes(1)
    for (const one of [guard, open()]) expect(names(one.view(now))).toEqual(['read', 'write'])
    expect(guard.review.changes).toMatchObject([{ name: 'write', accepted: WRITE }])
    expect(guard.decide(['other'], true)).toEqual([])
  })

  it('goes on without a change that was rejected', () => {
    const { guard } = guarded()
    guard.view(listed([READ]))
    guard.view(listed([CHANGED]))
    guard.decide(
      guard.review.changes.map(({ digest }) => digest),
      false,
    )
    const view = guard.view(listed([CHANGED]))
    expect(view.drift?.changes).toMatchObject([{ held: { rejected: true } }])
    expect(call(guard, listed([CHANGED]), 'read')).toContain('rejected')
    expect(names(guard.view(listed([READ])))).toEqual(['read'])
  })

  it('forgets what is held once the server lists what was accepted again', () => {
    const { guard } = guarded()
    guard.view(listed([READ]))
    guard.view(listed([CHANGED]))
    guard.view(listed([READ]))
    expect(guard.review.changes).toEqual([])
  })

  it('uses nothing of a new server with a suspect text, until a person has decided', () => {
    const { guard, open } = guarded()
    const listing = listed([READ, POISONED])
    expect(names(guard.view(listing))).toEqual([])
    expect(names(open().view({ ...listing }))).toEqual([])
    expect(guard.review.quarantine).toContain('secretly')
    const [read, write] = guard.review.changes
    guard.decide([read?.digest ?? ''], true)
    expect(names(guard.view(listing))).toEqual(['read'])
    guard.decide([write?.digest ?? ''], false)
    expect(guard.review.quarantine).toBeUndefined()
    expect(names(guard.view(listing))).toEqual(['read'])
  })

  it('quarantines no server that was used before', () => {
    const { guard } = guarded()
    expect(names(guard.view(listed([POISONED], { isRemembered: true })))).toEqual(['write'])
  })

  it('uses nothing of a new server that hides text, although no agent reads that', () => {
    const { guard } = guarded()
    const { entries, leftOut } = checkList('tools', [{ ...READ, description: 'Reads\u{E0041}' }])
    expect(names(guard.view(listed(entries, { leftOut })))).toEqual([])
    expect(guard.review.quarantine).toContain('text of read is suspect: it hides text')
  })

  it('holds a suspect tool that a server shows only to clients that can do more', () => {
    const { guard } = guarded()
    guard.view(listed([READ]))
    const more = listed([READ, POISONED, { name: 'delete_it' }], { variant: 'modern sampling' })
    expect(names(guard.view(more))).toEqual(['read', 'delete_it'])
    expect(call(guard, more, 'write')).toMatch(/is held since 20/)
  })

  it('reports what a person should know of a new server, and uses it', () => {
    const { guard, reported } = guarded({
      suspectsAmong: (tools) => () => [
        { class: 'medium', rule: 'r', quote: tools.join(), reason: 'names', where: 'title' },
      ],
    })
    expect(names(guard.view(listed([READ, WRITE])))).toEqual(['read', 'write'])
    expect(reported.map(({ reasons }) => reasons[0])).toEqual(Array(2).fill(reasonOfNames))
    // What is known already is not told again.
    guard.view(listed([{ ...READ, title: 'Read' }, WRITE]))
    expect(reported).toHaveLength(3)
    expect(reported[2]?.reasons).toEqual(['title is worded differently'])
  })

  it('follows the lock instead of what it saw first', () => {
    const locked = {
      tools: { read: toAccepted(READ) },
      prompts: {},
      resourceTemplates: {},
      instructions: { '': toAccepted({ description: 'Read first.' }) },
    }
    const { guard } = guarded({ locked })
    const listing = listed([READ, WRITE, { name: 'get_it' }], { instructions: 'secretly' })
    expect(names(guard.view(listing))).toEqual(['read', 'get_it'])
    expect(guard.view(listing).instructions).toBe('Read first.')
  })

  it('uses nothing of a server that the lock is not about', () => {
    const { guard } = guarded({ wrongDestination: 'it is another' })
    expect(names(guard.view(listed([READ])))).toEqual([])
    expect(guard.review).toMatchObject({ wrongDestination: 'it is another' })
  })

  it('hears what another process has decided', async () => {
    const { guard, open } = guarded()
    guard.view(listed([READ]))
    const now = listed([CHANGED])
    guard.view(now)
    const other = open()
    other.decide(
      other.review.changes.map(({ digest }) => digest),
      true,
    )
    await vi.waitFor(() => expect(names(guard.view(now))).toEqual(['read']), 10_000)
  })

  it('serves what is accepted, and says so, where it cannot store that', () => {
    const { path } = tempFolder()
    const blocked = join(path, 'file')
    writeFileSync(blocked, '')
    const { guard, warned } = guarded({}, join(blocked, 'accepted'))
    guard.view(listed([READ]))
    const view = guard.view(listed([CHANGED]))
    expect(names(view)).toEqual([])
    expect(view.drift?.problem).toContain('cannot be stored')
    expect(warned.at(-1)).toContain('until this process ends')
  })

  it('shows nothing before it knows what replicas have accepted', async () => {
    const { folder } = guarded()
    const stored = createAcceptedStore(folder, 'files', {})
    let loaded: (() => void) | undefined
    let waiting: Promise<void> | undefined = new Promise((resolve) => (loaded = resolve))
    const store: AcceptedStore = { ...stored, problem: undefined, loaded: () => waiting }
    const { guard } = guarded({ store })
    expect(names(guard.view(listed([CHANGED])))).toEqual([])
    guarded({}, folder).guard.view(listed([READ]))
    waiting = undefined
    loaded?.()
    await vi.waitFor(() => expect(guard.view(listed([CHANGED])).drift).toBeDefined())
    expect(names(guard.view(listed([CHANGED])))).toEqual([])
  })
})
