import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../test/support/postgres.ts'
import { type Migration, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { openStorage } from './open-storage.ts'
import { applicationName } from './replica-level.ts'

const expand: Migration = {
  name: '9000-better-tags',
  async up(db) {
    await db.schema.alterTable('tags').addColumn('colour', 'text').execute()
  },
}
const contract: Migration = {
  name: '9001-old-tags-contract',
  async up(db) {
    await db.schema.alterTable('tags').dropColumn('created_at').execute()
  },
}
const SOURCES = ['traces.ts', 'shared.ts']
  .map((file) => readFileSync(join(import.meta.dirname, 'migrations', file), 'utf8'))
  .join('')
const NEWER = [...MIGRATIONS, expand, contract]

/** A replica that holds a connection, as its listener always does. */
async function connectReplica(url: string, migrations: readonly Migration[]): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: applicationName(migrations),
  })
  await client.connect()
  onTestFinished(async () => client.end())
  return client
}

it('takes nothing away while a replica that may use it is connected, and does so afterwards', async () => {
  const url = await createDatabase(inject('postgresUrl'))
  const older = await openStorage({ home: '', databaseUrl: url })
  const client = await connectReplica(url, MIGRATIONS)

  // The new version starts beside the old one: what it adds is there, what it would take stays.
  expect(await migrate(older.db, 'postgres', NEWER)).toEqual(['9000-better-tags'])
  await older.db.insertInto('tags').values({ name: 'from-the-old', created_at: 1 }).execute()
  // An old replica may even be started again.
  await (await openStorage({ home: '', databaseUrl: url })).close()

  await client.end()
  await older.close()
  const newer = await openStorage({ home: '', databaseUrl: url })
  onTestFinished(async () => newer.close())
  // Its own connections are of this version's level here, so the level of the contract is lowered.
  const due = { ...contract, name: '0021-old-tags-contract' }
  expect(await migrate(newer.db, 'postgres', [...MIGRATIONS, expand, due])).toEqual([due.name])
  await expect(openStorage({ home: '', databaseUrl: url })).rejects.toThrow(/newer Portolan/)
})

it.each(MIGRATIONS.map(({ name }) => name))(
  '%s takes something away only if it says so',
  (name) => {
    const [, text = ''] = SOURCES.split(`name: '${name}'`)
    const [own = ''] = text.split("name: '")
    const takes = /drop(Table|Column)|rename|drop (table|column)|setNotNull|set not null/i.test(own)
    expect(own.length).toBeGreaterThan(50)
    expect(takes).toBe(name.endsWith('-contract'))
  },
)
