import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { StorageOptions } from '../src/storage/open-storage.ts'
import { createDatabase, startPostgres } from '../test/support/postgres.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import type { Measured } from './traces/measure.ts'
import type { Part } from './traces/part.ts'
import type { Quality } from './traces/quality.ts'

/** Measures search, writes, memory and search quality with 100,000 traces. */

const folder = await temporaryFolder()
const server = await startPostgres({ durable: true })
const home = folder.path
const sqlite = await measured('SQLite', { home })
const databaseUrl = await createDatabase(server.url)
const postgres = await measured('PostgreSQL', { home, databaseUrl })
const quality = await run<{ without: Quality; with: Quality }>({
  part: 'quality',
  name: '',
  place: { home },
})
await server.stop()
await folder.remove()

console.log(
  `RESULT ${JSON.stringify({
    searchP99MsSqlite: sqlite.p99Ms,
    searchP99MsPostgres: postgres.p99Ms,
    writesPerSecond: Math.min(sqlite.writesPerSecond, postgres.writesPerSecond),
    rssMb: Math.max(sqlite.rssMb, postgres.rssMb),
    mrr: quality.without.mrr,
    recallAt10: quality.without.recall,
    peakRssMb: Math.max(sqlite.peakRssMb, postgres.peakRssMb),
    p99MsOf20WithoutPause: { sqlite: sqlite.p99MsOf20, postgres: postgres.p99MsOf20 },
    p99MsOf200WithoutPause: { sqlite: sqlite.p99MsOf200, postgres: postgres.p99MsOf200 },
    mrrWithEmbedder: quality.with.mrr,
    recallAt10WithEmbedder: quality.with.recall,
  })}`,
)

async function measured(name: string, place: StorageOptions): Promise<Measured> {
  await run({ part: 'fill', name, place })
  return run<Measured>({ part: 'measure', name, place })
}

async function run<Answer>(part: Part): Promise<Answer> {
  const child = fork(new URL('traces/part.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
  })
  const ended = once(child, 'exit')
  child.send(part)
  const answered = once(child, 'message')
  await Promise.race([answered, ended])
  const [code] = await ended
  if (code !== 0) throw new Error(`The part ${part.part} ended with ${code}`)
  const [answer]: Answer[] = await answered
  if (answer === undefined) throw new Error(`The part ${part.part} gave no answer`)
  return answer
}
