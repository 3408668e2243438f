import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { programOf } from '../compat/install.ts'
import { openPublished } from '../compat/open-published.ts'
import { INSTALLED, SERVERS } from '../compat/servers.ts'
import { tryServer } from '../compat/try-server.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The part of `npm run test:compat` whose servers are installed anyway. */
describe('published servers', { timeout: 120_000 }, () => {
  it.each(INSTALLED.map((server) => [server.name, server] as const))('%s', async (name, server) => {
    const program = programOf(join(ROOT, 'node_modules', name))
    const { gateway, story, close } = await openPublished(server, program)
    try {
      const trial = await tryServer(gateway, 'it', story)
      expect(trial).toMatchObject({ failure: undefined, story: story && 'passed' })
      expect(trial.together).not.toBe(false)
      expect([trial.safe, ...trial.empty].filter((one) => one?.outcome === 'refused')).toEqual([])
    } finally {
      await close()
    }
  })
})

it('has a row for every server of the suite, at its version, in the reference', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/compatibility.md'), 'utf8')
  const cells = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const rows = new Map(cells.map(([, name, version]) => [name, version]))
  for (const { name, version } of SERVERS) expect([name, rows.get(name)]).toEqual([name, version])
  expect(SERVERS.length).toBeGreaterThanOrEqual(30)
})
