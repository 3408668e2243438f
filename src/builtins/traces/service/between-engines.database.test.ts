import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { expect, inject, it } from 'vitest'
import {
  DAY_MS,
  type TracesUnderTest,
  aTracesService,
} from '../../../../test/support/a-traces-service.ts'
import { createDatabase } from '../../../../test/support/postgres.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { conceptEmbedder } from '../../../../test/support/test-semantic-search.ts'
import { backupStorage, restoreStorage } from '../../../storage/backup/backup.ts'
import { type StorageOptions, openStorage } from '../../../storage/open-storage.ts'

/** Something in every table that a busy service fills; answers the key of a reader. */
async function live(traces: TracesUnderTest): Promise<string> {
  const [author, reader, third] = [
    await traces.account({ moderator: true }),
    await traces.account(),
    await traces.account(),
  ]
  const old = await author.contribute({ title: 'The automobile “would not” start ✓\n🚗' })
  const id = await author.contribute({
    title: 'A quick physician',
    tags: ['clinic', 'wasm'],
    supersedes_trace_id: old,
    metadata_json: { error_message: "it's; drop table", versions: [1, 2.5, null] },
  })
  for (let n = 0; n < 3; n += 1) await author.contribute({ tags: ['trend'] })
  for (const voter of [reader, third]) {
    await voter.get(`/traces/${id}`)
    await voter.get(`/traces/${old}`)
    await voter.post(`/traces/${id}/votes`, { vote_type: 'up', voter_context: { os: 'linux' } })
  }
  const amendment = await reader.post(`/traces/${id}/amendments`, {
    improved_solution: 'Take the faster road.',
    explanation: 'Shorter.',
  })
  await third.post(`/amendments/${amendment.body.id}/votes`, { vote_type: 'up' })
  await author.post(`/amendments/${amendment.body.id}/decision`, { decision: 'apply' })
  await reader.post(`/traces/${old}/flag`, { category: 'incorrect', reason: 'It does start.' })
  await traces.owner('POST', '/admin/invitations', { count: 2, note: 'for the team' })
  await reader.post('/traces/search', { q: 'unheard of quaternion' })
  await reader.get('/wanted')
  await traces.embed()
  traces.travel(DAY_MS)
  await traces.consolidate()
  return reader.key
}

/** The rows of a backup, table by table, in an order that does not depend on the engine. */
async function rowsOf(file: string): Promise<Map<string, string[]>> {
  const [, ...lines] = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n')
  const tables = new Map<string, string[]>()
  let current: string[] = []
  for (const line of lines) {
    const row: Record<string, unknown> = JSON.parse(line)
    if (typeof row['table'] === 'string' && Object.keys(row).length === 1)
      tables.set(row['table'], (current = []))
    else current.push(JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))))
  }
  for (const rows of tables.values()) rows.sort()
  return tables
}

async function copy(from: string, to: StorageOptions, again: string): Promise<void> {
  const storage = await openStorage(to)
  await restoreStorage(storage, from)
  await backupStorage(storage, again)
  await storage.close()
}

const FILLED =
  'accounts traces tags trace_tags trace_bands trace_vectors votes amendments amendment_votes flags invitations relationships retrievals search_misses daily_counts consolidation_runs tag_trends domain_reputation counters'.split(
    ' ',
  )

it('carries everything from SQLite to PostgreSQL and back, and the service goes on there', async () => {
  const folder = tempFolder()
  const files = ['first.gz', 'second.gz', 'third.gz'].map((name) => folder.file(name))
  const [first = '', second = '', third = ''] = files
  const embedder = conceptEmbedder()
  const small = await aTracesService({ embedder })
  const key = await live(small)
  await backupStorage(small.storage, first)

  const server = { home: '', databaseUrl: await createDatabase(inject('postgresUrl')) }
  await copy(first, server, second)
  const home = { home: folder.file('back') }
  await copy(second, home, third)

  const [original, moved, returned] = await Promise.all(files.map(rowsOf))
  expect(FILLED.filter((table) => !original?.get(table)?.length)).toEqual([])
  expect(moved).toEqual(original)
  expect(returned).toEqual(original)

  const answers = async (traces: TracesUnderTest) => {
    traces.travel(DAY_MS)
    const search = { method: 'POST', path: '/api/v1/traces/search', body: { q: 'fast medic car' } }
    const { body } = await traces.request(search.method, search.path, { key, body: search.body })
    return body.results.map(({ title, tags }: Record<string, unknown>) => ({ title, tags }))
  }
  const [large, returnedHome] = [
    await aTracesService({ place: server, embedder }),
    await aTracesService({ place: home, embedder }),
  ]
  const expected = await answers(small)
  expect(expected).toHaveLength(2)
  expect(await answers(large)).toEqual(expected)
  expect(await answers(returnedHome)).toEqual(expected)
  expect(await (await large.account()).contribute()).toEqual(expect.any(String))
})
