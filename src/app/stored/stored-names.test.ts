import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KnownNames } from '../../gateway/names/known-names.ts'
import type { NamesStore } from '../../gateway/names/names-store.ts'
import type { Log } from '../../telemetry/log.ts'
import { StoredNames } from './stored-names.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const silent = () => undefined
const ref = (server: string, name: string) => ({ server, name })

/** A store in memory, which several processes may share. */
function aStore() {
  const state = { text: '', reads: 0, writes: 0, isAway: false, refuse: 0 }
  const listeners = new Set<() => void>()
  const store: NamesStore = {
    place: 'here',
    async read() {
      state.reads++
      return state.isAway ? undefined : state.text
    },
    async replace(before, after) {
      if (state.isAway || state.refuse-- > 0 || before !== state.text) return false
      state.writes++
      state.text = after
      for (const listener of listeners) listener()
      return true
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return { state, store }
}

/** A process with these servers. */
function aProcess(
  open: () => Promise<NamesStore | undefined>,
  servers: Record<string, string> = { one: 'F' },
) {
  const names = new KnownNames()
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const log: Log = { debug: silent, info: silent, warn, error: silent }
  const configured = () => new Map(Object.entries(servers))
  const stored = new StoredNames({ names, open, servers: configured, log })
  return { names, stored, warnings }
}

it('names of one process are known to the next, which knows them before its first answer', async () => {
  const { store } = aStore()
  const before = aProcess(async () => store)
  await before.stored.loaded()
  before.names.tools.give('x', ref('one', 'x'))
  before.names.prompts.give('greet', ref('one', 'greet'))
  before.names.tools.give('one__y', ref('one', 'y'))
  await before.stored.close()
  const after = aProcess(async () => store, { uno: 'F', two: 'G' })
  expect(after.stored.loaded()).toBeInstanceOf(Promise)
  await after.stored.loaded()
  expect(after.stored.loaded()).toBeUndefined()
  expect(after.names.tools.find('x')).toEqual(ref('uno', 'x'))
  expect(after.names.prompts.find('greet')).toEqual(ref('uno', 'greet'))
  // It says itself what it means.
  expect(after.names.tools.find('one__y')).toBeUndefined()
  expect(after.names.current('one')).toBe('uno')
})

it('many names are one write, behind whoever was shown them', async () => {
  const { store, state } = aStore()
  const { names, stored } = aProcess(async () => store)
  await stored.loaded()
  await vi.advanceTimersByTimeAsync(2000)
  const { writes } = state
  for (let n = 0; n < 100; n++) names.tools.give(`t${n}`, ref('one', `t${n}`))
  expect(state.writes).toBe(writes)
  await vi.advanceTimersByTimeAsync(2000)
  expect(state.writes).toBe(writes + 1)
  expect(state.text).toContain('["t99","one","t99",')
  names.tools.give('one__plain', ref('one', 'plain'))
  names.tools.give('t5', ref('one', 't5'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.writes).toBe(writes + 1)
})

it('a name that another process has shown is known soon, and nobody writes because others did', async () => {
  const { store, state } = aStore()
  const [one, other] = [
    aProcess(async () => store),
    aProcess(async () => store, { one: 'differs' }),
  ]
  await one.stored.loaded()
  await other.stored.loaded()
  await vi.advanceTimersByTimeAsync(5000)
  one.names.tools.give('x', ref('one', 'x'))
  await vi.advanceTimersByTimeAsync(2000)
  const { writes } = state
  expect(other.names.tools.find('x')).toEqual(ref('one', 'x'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.writes).toBeLessThanOrEqual(writes + 1)
})

it('looks for an unknown name at most once a second', async () => {
  const { store, state } = aStore()
  const { stored } = aProcess(async () => store)
  await stored.catchUp()
  expect(state.reads).toBe(0)
  await stored.loaded()
  await vi.advanceTimersByTimeAsync(5000)
  const { reads } = state
  for (let n = 0; n < 10; n++) await stored.catchUp()
  expect(state.reads).toBe(reads + 1)
  await vi.advanceTimersByTimeAsync(1001)
  await stored.catchUp()
  expect(state.reads).toBe(reads + 2)
})

it('while nobody answers, the process goes by its own memory, and stores it afterwards', async () => {
  const { store, state } = aStore()
  state.isAway = true
  const { names, stored, warnings } = aProcess(async () => store)
  await stored.loaded()
  names.tools.give('x', ref('one', 'x'))
  await vi.advanceTimersByTimeAsync(5000)
  expect(names.tools.find('x')).toEqual(ref('one', 'x'))
  expect(state.text).toBe('')
  state.isAway = false
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.text).toContain('"x"')
  // A store that has lost everything gets it again.
  state.text = ''
  await stored.catchUp()
  await vi.advanceTimersByTimeAsync(2000)
  expect(state.text).toContain('"x"')
  expect(warnings).toEqual([])
})

it('whoever comes second writes what both have', async () => {
  const { store, state } = aStore()
  const { names, stored } = aProcess(async () => store)
  await stored.loaded()
  await vi.advanceTimersByTimeAsync(2000)
  names.tools.give('x', ref('one', 'x'))
  state.refuse = 2
  await vi.waitFor(() => expect(state.text).toContain('"x"'), { timeout: 20_000 })
})

it.each([
  ['cannot be opened', async () => Promise.reject(new Error('no room'))],
  [
    'cannot be read',
    async () => ({ ...aStore().store, read: async () => Promise.reject(new Error('no room')) }),
  ],
  [
    'cannot be written',
    async () => ({ ...aStore().store, replace: async () => Promise.reject(new Error('no room')) }),
  ],
])('a store that %s is reported once, and everything else works', async (_, open) => {
  const { names, stored, warnings } = aProcess(open)
  await stored.loaded()
  for (let n = 0; n < 3; n++) {
    names.tools.give(`t${n}`, ref('one', `t${n}`))
    await vi.advanceTimersByTimeAsync(60_000)
  }
  await stored.close()
  expect(names.tools.find('t0')).toEqual(ref('one', 't0'))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/^The names that clients were shown cannot be stored.*: no room$/)
})

it('a store that hangs delays the first answer by two seconds, and an unknown name by less', async () => {
  const { store } = aStore()
  const never = new Promise<string>(() => undefined)
  let isHanging = true
  const read = async () => (isHanging ? never : store.read())
  const { stored } = aProcess(async () => ({ ...store, read }))
  const loading = stored.loaded()
  await vi.advanceTimersByTimeAsync(2000)
  await loading
  expect(stored.loaded()).toBeUndefined()
  const looking = stored.catchUp()
  await vi.advanceTimersByTimeAsync(250)
  await looking
  isHanging = false
  await stored.close()
})

it('nothing is stored where there is no place for it', async () => {
  const { names, stored, warnings } = aProcess(async () => undefined)
  await stored.loaded()
  names.tools.give('x', ref('one', 'x'))
  await stored.catchUp()
  await stored.close()
  expect(warnings).toEqual([])
})
