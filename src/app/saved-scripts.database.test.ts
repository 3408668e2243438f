import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../test/support/postgres.ts'
import { openDatabase } from '../replicas/database/open-database.ts'
import { createLog } from '../telemetry/log.ts'
import { createScriptLibrary } from './saved-scripts.ts'

const inputSchema = { type: 'object', properties: {} }
const DRAFT = { name: 'sum_up', description: 'Sums up', inputSchema, source: '1 + 1' }

it('tells the other replicas of what a person approves at one of them', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const open = async (applied: string[][]) => {
    const database = await openDatabase(databaseUrl, { PORTOLAN_SECRET_KEY: 'correct horse' })
    const library = createScriptLibrary({
      home: '',
      shared: { storage: database.storage, database },
      log: createLog({ stream: { write: () => undefined } }),
      onChange: async (scripts) => void applied.push(scripts.map(({ source }) => source)),
    })
    onTestFinished(async () => {
      await library.close()
      await database.close()
    })
    await library.loaded()
    return library
  }
  const [here, there]: [string[][], string[][]] = [[], []]
  const scripts = await (await open(here)).store()
  await open(there)
  const { digest } = await scripts.propose(DRAFT, 'ada')
  await scripts.approve(digest, 'eve')
  expect(here).toEqual([['1 + 1']])
  await expect.poll(() => there, { timeout: 20_000 }).toEqual([['1 + 1']])
  await scripts.remove('sum_up')
  await expect.poll(() => there.at(-1), { timeout: 20_000 }).toEqual([])
})
