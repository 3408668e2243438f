import { expect, it } from 'vitest'
import { RecentSources } from './recent-sources.ts'

it('keeps the newest sources, as many as there is room for', () => {
  const sources = new RecentSources()
  const large = 'x'.repeat(1024 * 1024)
  for (const run of ['a', 'b', 'c']) sources.keep(run, large)
  expect(['a', 'b', 'c'].map((run) => sources.find(run)?.length)).toEqual([
    undefined,
    large.length,
    large.length,
  ])
  // The same run again takes no further room.
  sources.keep('b', large)
  expect(sources.find('c')).toBe(large)
  sources.keep('d', 'short')
  expect(sources.find('c')).toBeUndefined()
  expect([sources.find('b'), sources.find('d')]).toEqual([large, 'short'])
})
