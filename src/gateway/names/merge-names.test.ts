import { describe, expect, it } from 'vitest'
import { KnownNames } from './known-names.ts'
import { DAY_MS, mergeNames } from './merge-names.ts'
import { NO_NAMES, type NameMap, type OwnNames, formatNames, parseNames } from './name-map.ts'

const NOW = 20_000 * DAY_MS
const ref = (server: string, name: string) => ({ server, name })

/** What a process stores that has these servers, and has shown these names. */
function own(servers: Record<string, string>, names: Partial<OwnNames> = {}): OwnNames {
  const none = { renamed: new Map<string, string>(), tools: [], prompts: [] }
  return { ...none, ...names, servers: new Map(Object.entries(servers)) }
}

/** Where a process that has these servers finds a name. */
function meaning(map: NameMap, servers: Record<string, string>, name: string) {
  const names = new KnownNames()
  const configured = new Map(Object.entries(servers))
  names.learn(mergeNames(map, own(servers), NOW), configured)
  return names.tools.find(name)
}

const shown = mergeNames(NO_NAMES, own({ one: 'F' }, { tools: [['x', ref('one', 'x')]] }), NOW)

const renamed = (from: string, to: string) => own({ [to]: 'F' }, { renamed: new Map([[from, to]]) })

const after = (days: number, servers: Record<string, string>) =>
  mergeNames(shown, own(servers), NOW + days * DAY_MS)

describe('what is stored', () => {
  it('is read as it was written, whatever the names are', () => {
    const tools = [['__proto__', ref('one', 'a\nb')] as const]
    const prompts = [['greet', ref('one', 'greet')] as const]
    const map = mergeNames(shown, own({ one: 'F' }, { tools, prompts }), NOW)
    expect(parseNames(formatNames(map))).toEqual(map)
    expect(map.tools.get('__proto__')).toMatchObject(ref('one', 'a\nb'))
    expect(parseNames('')).toEqual(NO_NAMES)
  })

  it.each(['{', '[]', 'null', '"x"', 'x'.repeat(9 << 20)])('is damaged: %.9s', (text) => {
    expect(parseNames(text)).toBeUndefined()
  })

  it('is taken over but for what is no name', () => {
    const rows = [['x', 'one', 'x', 1], ['y'], 'z', [1, 2, 3, 4], null]
    const map = parseNames(JSON.stringify({ servers: 7, tools: rows }))
    expect([...(map?.tools.keys() ?? [])]).toEqual(['x'])
    expect(map?.servers.size).toBe(0)
  })

  it('does not change when nothing is new, and has another date on another day', () => {
    const again = own({ one: 'F' }, { tools: [['x', ref('one', 'x')]] })
    expect(formatNames(mergeNames(shown, again, NOW + 1000))).toBe(formatNames(shown))
    const later = mergeNames(shown, again, NOW + 2 * DAY_MS)
    expect(later.tools.get('x')?.usedOn).toBe(20_002)
    expect(later.servers.get('one')?.seenAt).toBe(NOW + 2 * DAY_MS)
  })
})

describe('a stored name', () => {
  it('keeps its meaning, whatever another process has shown under it', () => {
    const other = own({ one: 'F', two: 'G' }, { tools: [['x', ref('two', 'x')]] })
    const map = mergeNames(shown, other, NOW + 2 * DAY_MS)
    expect(map.tools.get('x')).toEqual({ ...ref('one', 'x'), usedOn: 20_000 })
    expect(meaning(map, { one: 'F', two: 'G' }, 'x')).toEqual(ref('one', 'x'))
  })

  it('goes with its server when that is renamed, several times and back', () => {
    const twice = mergeNames(
      mergeNames(shown, renamed('one', 'uno'), NOW),
      renamed('uno', 'ein'),
      NOW,
    )
    expect(meaning(twice, { ein: 'F' }, 'x')).toEqual(ref('ein', 'x'))
    const back = mergeNames(twice, renamed('ein', 'one'), NOW)
    expect(meaning(back, { one: 'F' }, 'x')).toEqual(ref('one', 'x'))
    // A replica that has not got the newest configuration yet.
    for (const name of ['one', 'uno', 'ein'])
      expect(meaning(twice, { [name]: 'F' }, 'x')).toEqual(ref(name, 'x'))
  })

  it('stays with its renamed server when another server takes the old name', () => {
    const called = mergeNames(shown, renamed('one', 'uno'), NOW)
    const both = { uno: 'F', one: 'G' }
    expect(meaning(called, both, 'x')).toEqual(ref('uno', 'x'))
    const taken = mergeNames(called, own(both), NOW)
    expect(taken.servers.get('one')).toEqual({ fingerprint: 'G', seenAt: NOW })
    expect(meaning(taken, { one: 'G' }, 'x')).toEqual(ref('uno', 'x'))
    // One that is only configured in another way is the same server.
    expect(meaning(shown, { one: 'G' }, 'x')).toEqual(ref('one', 'x'))
  })

  it('is not renamed by a process that knows of an older server of that name', () => {
    const taken = mergeNames(shown, own({ one: 'G', uno: 'F' }), NOW)
    const late = mergeNames(taken, renamed('one', 'uno'), NOW)
    expect(late.servers.get('one')?.renamedTo).toBeUndefined()
  })

  it('is dropped a week after its server was removed', () => {
    expect([...after(7, { two: 'G' }).tools.keys()]).toEqual(['x'])
    expect([...after(8, { two: 'G' }).tools.keys()]).toEqual([])
    expect([...after(8, { two: 'G' }).servers.keys()]).toEqual(['two'])
    expect([...after(90, { one: 'F' }).tools.keys()]).toEqual(['x'])
  })

  it('is dropped when nobody has used it for three months', () => {
    expect([...after(91, { one: 'F' }).tools.keys()]).toEqual([])
    const again = own({ one: 'F' }, { tools: [['x', ref('one', 'x')]] })
    const used = mergeNames(shown, again, NOW + 60 * DAY_MS)
    expect([...mergeNames(used, own({ one: 'F' }), NOW + 150 * DAY_MS).tools.keys()]).toEqual(['x'])
  })

  it('outlives the old name of its server, which is known for three months after it was renamed', () => {
    // Nobody ran the gateway for some time before.
    const called = mergeNames(shown, renamed('one', 'uno'), NOW + 20 * DAY_MS)
    const uses = own({ uno: 'F' }, { tools: [['x', ref('uno', 'x')]] })
    const used = mergeNames(called, uses, NOW + 60 * DAY_MS)
    const later = (days: number) => mergeNames(used, own({ uno: 'F' }), NOW + days * DAY_MS)
    expect(later(110).servers.get('one')?.renamedTo).toBe('uno')
    expect([...later(111).servers.keys()]).toEqual(['uno'])
    expect(later(110).tools.get('x')).toMatchObject(ref('one', 'x'))
    expect(later(111).tools.get('x')).toMatchObject(ref('uno', 'x'))
  })

  it('stays with its server when that has its old name back', () => {
    const called = mergeNames(shown, renamed('one', 'uno'), NOW)
    const at = NOW + 31 * DAY_MS
    const back = mergeNames(called, own({ one: 'F' }), at)
    expect([...back.servers]).toEqual([['one', { fingerprint: 'F', seenAt: at }]])
    expect(back.tools.get('x')).toMatchObject(ref('one', 'x'))
  })
})

it('five thousand names are stored, and those that were not used for the longest time make room', () => {
  const names = (from: number, to: number) =>
    Array.from(
      { length: to - from },
      (_, n) => [`t${from + n}`, ref('one', `t${from + n}`)] as const,
    )
  const first = mergeNames(NO_NAMES, own({ one: 'F' }, { tools: names(0, 5_000) }), NOW)
  const again = own({ one: 'F' }, { tools: names(0, 10) })
  const used = mergeNames(first, again, NOW + DAY_MS)
  const more = own({ one: 'F' }, { tools: names(5_000, 5_005) })
  const full = mergeNames(used, more, NOW + DAY_MS)
  expect(full.tools.size).toBe(5_000)
  expect(['t0', 't9', 't10', 't14', 't15', 't5004'].map((name) => full.tools.has(name))).toEqual([
    true,
    true,
    false,
    false,
    true,
    true,
  ])
  const long = own({ one: 'F' }, { tools: [['y', ref('one', 'y'.repeat(500))]] })
  expect(mergeNames(NO_NAMES, long, NOW).tools.size).toBe(0)
  const servers = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`s${n}`, 'F']))
  expect(mergeNames(NO_NAMES, own(servers), NOW).servers.size).toBe(1_000)
})
