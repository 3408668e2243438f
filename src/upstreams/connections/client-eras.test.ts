import { expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { type TestLink, aLink } from '../../../test/support/a-link.ts'
import { ClientEras } from './client-eras.ts'
import { Connections } from './connections.ts'
import { Line } from './line.ts'
import { type SpokenEras, learnEra } from '../spoken-eras.ts'
import type { EraName } from '../../protocol/eras/eras.ts'

const [old, modern] = [aClient({ era: 'legacy' }), aClient({ era: 'modern' })]

/** A server that speaks `speaks`, with what is learnt of it from the connections that are opened. */
function aServer(
  speaks: readonly EraName[],
  { single = false, eras = {} }: { single?: boolean; eras?: SpokenEras } = {},
) {
  const known = { eras }
  const opened: EraName[] = []
  const ended: Line[] = []
  let isDown = false
  const connections = new Connections({
    server: 'a',
    max: 4,
    waitMs: 1_000,
    idleMs: 60_000,
    open: (scope) =>
      new Line({
        async connect() {
          opened.push(scope.era)
          if (isDown) throw new Error('down')
          const era = speaks.includes(scope.era) ? scope.era : speaks[0]
          const link: TestLink = aLink({ era: era ?? 'legacy', version: '2025-11-25' })
          known.eras = learnEra(known.eras, scope.era, link)
          return link
        },
        connectMs: 1_000,
        backoffMs: { min: 1, max: 1 },
        up: () => undefined,
        down: () => undefined,
      }),
  })
  const clientEras = new ClientEras(known, connections, single)
  const share = async (era: EraName) => connections.common(undefined, undefined, era).link()
  return {
    clientEras,
    connections,
    opened,
    ended,
    share,
    goDown: () => (isDown = true),
  }
}

it('is what is known of the server, and to try first what the client speaks', () => {
  const { clientEras } = aServer(['legacy'], { eras: { legacy: true } })
  expect([clientEras.of(old), clientEras.of(modern)]).toEqual(['legacy', undefined])
  expect(clientEras.preferred(modern)).toBe('modern')
  const both = aServer(['legacy'], { eras: { legacy: true, modern: false } }).clientEras
  expect([both.of(modern), both.preferred(modern)]).toEqual(['legacy', 'legacy'])
})

it('is that of the client for the first connection of all, without opening one', async () => {
  const { clientEras, opened } = aServer(['legacy'])
  expect([await clientEras.find(modern), await clientEras.find(old)]).toEqual(['modern', 'legacy'])
  expect(opened).toEqual([])
})

it('is found out once for all who wait, by a connection that stays where it fits', async () => {
  const both = aServer(['legacy', 'modern'])
  await both.share('legacy')
  expect(both.clientEras.of(modern)).toBeUndefined()
  const found = await Promise.all([both.clientEras.find(modern), both.clientEras.find(modern)])
  expect([found, both.opened]).toEqual([
    ['modern', 'modern'],
    ['legacy', 'modern'],
  ])
  expect(both.connections.lines).toHaveLength(2)

  const one = aServer(['legacy'])
  await one.share('legacy')
  expect(await one.clientEras.find(modern)).toBe('legacy')
  expect([one.opened, one.connections.lines.length]).toEqual([['legacy', 'modern'], 1])
  expect(one.clientEras.of(modern)).toBe('legacy')
})

it('is that of the one connection where there may be one only', async () => {
  const { clientEras, share, opened } = aServer(['legacy', 'modern'], { single: true })
  expect(clientEras.of(modern)).toBeUndefined()
  await share('legacy')
  expect([clientEras.of(modern), clientEras.of(old)]).toEqual(['legacy', 'legacy'])
  expect(await clientEras.find(modern)).toBe('legacy')
  expect(opened).toEqual(['legacy'])
})

it('is tried again by the next call where it could not be found out', async () => {
  const { clientEras, share, goDown, opened } = aServer(['legacy', 'modern'])
  await share('legacy')
  goDown()
  expect(await clientEras.find(modern)).toBe('legacy')
  expect(clientEras.of(modern)).toBeUndefined()
  await clientEras.find(modern)
  expect(opened).toEqual(['legacy', 'modern', 'modern'])
})
