import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { presetsOf } from '../../src/upstreams/stdio/bubblewrap/presets.ts'
import { needBubblewrap } from '../support/bubblewrap.ts'
import { install } from './install.ts'
import { openPublished } from './open-published.ts'
import { type Published, SERVERS } from './servers.ts'
import { tryServer } from './try-server.ts'

const TABLE = join(import.meta.dirname, '../../docs/reference/sandboxed-servers.md')
const only = process.env['PORTOLAN_COMPAT_ONLY']
const rows = new Map<string, string>()
const chosen = SERVERS.filter(
  ({ name, unlisted }) => unlisted === undefined && (only === undefined || name.includes(only)),
)

beforeAll(needBubblewrap)

describe.concurrent('published servers in a sandbox', { timeout: 300_000 }, () => {
  it.each(chosen.map((server) => [server.name, server] as const))('%s', async (name, server) => {
    const { sandbox = true } = server
    const { gateway, story, close } = await openPublished(server, await install(server), {
      sandbox,
    })
    try {
      const trial = await tryServer(gateway, 'it', story)
      process.stderr.write(`${JSON.stringify({ name, ...trial })}\n`)
      expect(trial.failure).toBeUndefined()
      expect(trial.story).toBe(server.story && 'passed')
      rows.set(name, toLine(server, trial.tools))
    } finally {
      await close()
    }
  })
})

function toLine({ name, version, sandbox, story }: Published, tools: number): string {
  const kind = presetsOf(name, []).length > 0 ? 'preset' : 'default'
  const needs = sandbox ? `\`${JSON.stringify(sandbox)}\`` : ''
  return `| ${name} | ${version} | ${tools} | ${kind} | ${needs} | ${story ? 'passed' : ''} |`
}

afterAll(() => {
  // A run of a part says nothing about the rest.
  if (rows.size < SERVERS.filter(({ unlisted }) => unlisted === undefined).length) return
  const sorted = [...rows].toSorted(([one], [other]) => one.localeCompare(other, 'en'))
  const page = [
    '# Servers in a sandbox',
    '',
    'Written by `npm run test:compat`: the published servers of [compatibility](compatibility.md) that list their tools, each with `"sandbox": true` through a running gateway. A **preset** gives a well-known server what it is for, such as writing the folders of its arguments; **needs** is what its entry has to name beside that; **in a row** are calls that build on each other.',
    '',
    '| server | version | tools | sandbox | needs | in a row |',
    '| --- | --- | ---: | --- | --- | --- |',
    ...sorted.map(([, line]) => line),
    '',
  ]
  writeFileSync(TABLE, page.join('\n'))
})
