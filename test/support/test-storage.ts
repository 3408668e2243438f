import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GroupCommit } from '../../src/storage/sql/group-commit.ts'
import { type Migration, migrate } from '../../src/storage/migrate.ts'
import { MIGRATIONS } from '../../src/storage/migrations/index.ts'
import { type StorageOptions, openStorage } from '../../src/storage/open-storage.ts'
import { currentRevision, nextRevision } from '../../src/storage/revisions.ts'
import { storageFailure } from '../../src/storage/storage-failure.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { fromVectorColumn } from '../../src/storage/vectors.ts'
import { deferred } from './deferred.ts'
import { startWriter } from './start-writer.ts'
import { insertTrace, insertVector, missing, tagNames } from './storage-rows.ts'
import { testBackup } from './test-backup.ts'

export interface StorageUnderTest {
  /** Returns the place of a new, empty database. */
  readonly fresh: () => Promise<StorageOptions & { remove(): Promise<void> }>
}

/** Tests that every engine must pass; each engine's test file runs them against a real database. */
export function testStorage(engine: string, { fresh }: StorageUnderTest): void {
  testBackup(engine, { fresh })
  describe(`storage on ${engine}`, () => {
    let place: Awaited<ReturnType<StorageUnderTest['fresh']>>
    let storage: Storage

    beforeEach(async () => {
      place = await fresh()
      storage = await openStorage(place)
    })
    afterEach(async () => {
      await storage.close()
      await place.remove()
    })

    it('applies every migration once, however many processes open it together', async () => {
      const empty = await fresh()
      const opened = await Promise.all(Array.from({ length: 6 }, async () => openStorage(empty)))
      const [first] = opened
      const rows = await first?.db.selectFrom('schema_migrations').select('name').execute()
      expect(rows?.map(({ name }) => name).toSorted()).toEqual(MIGRATIONS.map(({ name }) => name))
      await Promise.all(opened.map(async (each) => each.close()))
      await empty.remove()
    })

    it('has nothing left to migrate the second time', async () => {
      expect(await migrate(storage.db, storage.engine)).toEqual([])
    })

    it('undoes the whole of a migration that fails', async () => {
      const broken = [
        ...MIGRATIONS,
        {
          name: '9999-broken',
          up: async (db: Parameters<(typeof MIGRATIONS)[number]['up']>[0]) => {
            await db.schema.createTable('half_made').addColumn('id', 'text').execute()
            throw new Error('stop here')
          },
        },
      ]
      await expect(migrate(storage.db, storage.engine, broken)).rejects.toThrow('stop here')
      const tables = await storage.db.introspection.getTables()
      expect(tables.map(({ name }) => name)).not.toContain('half_made')
    })

    it('goes on with a database to which a newer version has added something', async () => {
      const newer = [...MIGRATIONS, addTable('9000-extra', 'extra')]
      expect(await migrate(storage.db, storage.engine, newer)).toEqual(['9000-extra'])
      const older = await openStorage(place)
      await older.db.insertInto('tags').values({ name: 'old', created_at: 1 }).execute()
      await older.close()
    })

    it('refuses a database from which a newer version has taken something away', async () => {
      const newer = [
        ...MIGRATIONS,
        addTable('9000-extra', 'extra'),
        dropTable('9001-extra-contract'),
      ]
      // Connected processes count as older, so this writes the state after all of them have ended.
      await migrate(storage.db, storage.engine, newer)
      await storage.db
        .insertInto('schema_migrations')
        .values({ name: '9001-extra-contract', applied_at: 1 })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await expect(openStorage(place)).rejects.toThrow(/newer Portolan.*9001-extra-contract/)
    })

    it('leaves nothing behind when a transaction throws', async () => {
      await expect(
        storage.transaction(async (tx) => {
          await tx.insertInto('tags').values({ name: 'gone', created_at: 1 }).execute()
          throw new Error('changed my mind')
        }),
      ).rejects.toThrow('changed my mind')
      expect(await storage.db.selectFrom('tags').selectAll().execute()).toEqual([])
    })

    it('recognises a duplicate by its kind, not by its words', async () => {
      await addTag(storage, 'twice')
      const error = await addTag(storage, 'twice').catch((reason: unknown) => reason)
      expect(storageFailure(error)).toBe('duplicate')
    })

    it('keeps what a failed statement left of its transaction out', async () => {
      const error = await storage
        .transaction(async (tx) => {
          await tx.insertInto('tags').values({ name: 'a', created_at: 1 }).execute()
          await tx.insertInto('tags').values({ name: 'a', created_at: 1 }).execute()
        })
        .catch((reason: unknown) => reason)
      expect(storageFailure(error)).toBe('duplicate')
      expect(await storage.db.selectFrom('tags').selectAll().execute()).toEqual([])
    })

    it('answers reads with what is committed, while one writer works and another waits', async () => {
      const elsewhere = await openStorage(place)
      const { promise: finished, resolve: finish } = deferred<void>()
      const { promise: begun, resolve: begin } = deferred<void>()
      const writing = elsewhere.transaction(async (tx) => {
        await tx.insertInto('tags').values({ name: 'in-progress', created_at: 1 }).execute()
        begin()
        await finished
      })
      await begun
      const waiting = storage.transaction(async (tx) => {
        await tx.insertInto('tags').values({ name: 'later', created_at: 1 }).execute()
        await nextRevision(tx, 'tags')
      })
      expect(await tagNames(storage)).not.toContain('in-progress')
      expect(await tagNames(elsewhere)).not.toContain('in-progress')
      finish()
      await Promise.all([writing, waiting])
      expect(await tagNames(storage)).toEqual(['in-progress', 'later'])
      await elsewhere.close()
    })

    it('commits what comes together in one transaction, and lets only the culprit fail', async () => {
      const groups: number[] = []
      const tags = new GroupCommit<string>(async (names) => {
        groups.push(names.length)
        const rows = names.map((name) => ({ name, created_at: 1 }))
        await storage.transaction(async (tx) => tx.insertInto('tags').values(rows).execute())
      })
      const letters = Array.from('abcdefghij')
      await Promise.all(letters.map(async (name) => tags.add(name)))
      expect(groups).toEqual([10])
      const outcomes = await Promise.allSettled(['k', 'a', 'l'].map(async (name) => tags.add(name)))
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await tagNames(storage)).toEqual([...letters, 'k', 'l'])
    })

    it('acknowledges nothing of a group that could not be committed', async () => {
      const tags = new GroupCommit<string>(async (names) => {
        const rows = names.map((name) => ({ name, created_at: 1 }))
        await storage.transaction(async (tx) => {
          await tx.insertInto('tags').values(rows).execute()
          throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' })
        })
      })
      const outcomes = await Promise.allSettled(['a', 'b'].map(async (name) => tags.add(name)))
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(await tagNames(storage)).toEqual([])
    })

    it('numbers revisions in the order of their commits', async () => {
      const seen: number[] = []
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const revision = await storage.transaction(async (tx) => nextRevision(tx, 'things'))
          seen.push(revision)
        }),
      )
      expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
      expect(await currentRevision(storage.db, 'things')).toBe(20)
    })

    it('refuses a row that refers to nothing', async () => {
      await expect(
        storage.db.insertInto('trace_tags').values({ trace_id: 'none', tag: 'none' }).execute(),
      ).rejects.toThrow(/foreign key/i)
    })

    it('gives numbers back as numbers and vectors as they went in', async () => {
      const id = await insertTrace(storage)
      const embedding = new Float32Array([0.5, -1, 0.25])
      await insertVector(storage, id, embedding)
      const row = await storage.db.selectFrom('trace_vectors').selectAll().executeTakeFirstOrThrow()
      expect(fromVectorColumn(row.embedding)).toEqual(embedding)
      const trace = await storage.db.selectFrom('traces').selectAll().executeTakeFirstOrThrow()
      expect(trace).toMatchObject({
        created_at: 1_700_000_000_000,
        trust_score: 0.125,
        is_stale: 0,
      })
    })

    it(
      'takes eight writing processes at once and loses nothing of theirs',
      { timeout: 120_000 },
      async () => {
        const writers = Array.from({ length: 8 }, () => startWriter(place, 25))
        const acknowledged = (await Promise.all(writers.map(async ({ done }) => done))).flat()
        expect(acknowledged).toHaveLength(200)
        expect(await missing(storage, acknowledged)).toEqual([])
      },
    )

    it('keeps every acknowledged row of a process killed while it writes', async () => {
      const writer = startWriter(place, 100_000)
      await writer.acknowledged(50)
      const acknowledged = await writer.kill()
      expect(acknowledged.length).toBeGreaterThanOrEqual(50)
      expect(await missing(storage, acknowledged)).toEqual([])
      await storage.db.insertInto('tags').values({ name: 'still-works', created_at: 1 }).execute()
    })
  })
}

function addTable(name: string, table: string): Migration {
  return {
    name,
    async up(db) {
      await db.schema.createTable(table).addColumn('id', 'text').execute()
    },
  }
}

function dropTable(name: string): Migration {
  return {
    name,
    async up(db) {
      await db.schema.dropTable('extra').execute()
    },
  }
}

async function addTag(storage: Storage, name: string): Promise<void> {
  await storage.db.insertInto('tags').values({ name, created_at: 1 }).execute()
}
