import { type StorageOptions, openStorage } from '../../src/storage/open-storage.ts'
import { createBuiltinEmbedder } from '../../src/search/embed/builtin-embedder.ts'
import { fill } from './fill.ts'
import { measure } from './measure.ts'
import { measureQuality } from './quality.ts'
import { round } from './round.ts'

/** Runs one part of the measurement in its own process, so that their memory is separate. */

const COUNT = Number(process.env['BENCH_TRACES'] ?? 100_000)

export interface Part {
  readonly part: 'fill' | 'measure' | 'quality'
  readonly name: string
  readonly place: StorageOptions
}

process.once('message', (asked: Part) => void answer(asked))

async function answer(asked: Part): Promise<void> {
  process.send?.(await run(asked), () => process.disconnect())
}

async function run({ part, name, place }: Part): Promise<object> {
  if (part === 'quality')
    return { without: await measureQuality(), with: await measureQuality(createBuiltinEmbedder()) }
  const storage = await openStorage(place)
  const found = await (part === 'measure' ? measure(name, storage) : fillNew(name, storage))
  await storage.close()
  return found
}

async function fillNew(
  name: string,
  storage: Awaited<ReturnType<typeof openStorage>>,
): Promise<object> {
  const started = performance.now()
  await storage.db
    .insertInto('accounts')
    .values({ id: 'bench', key_hash: 'bench', created_at: Date.now(), updated_at: Date.now() })
    .execute()
  await fill(storage, { count: COUNT, author: 'bench', seed: 1 })
  console.log(`${name}: ${COUNT} traces stored in ${round((performance.now() - started) / 1000)} s`)
  return {}
}
