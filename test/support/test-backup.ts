import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backupStorage, restoreStorage } from '../../src/storage/backup/backup.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { currentRevision, nextRevision } from '../../src/storage/revisions.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { fromVectorColumn } from '../../src/storage/vectors.ts'
import { startWriter } from './start-writer.ts'
import { insertTrace, insertVector, missing, tagNames } from './storage-rows.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { StorageUnderTest } from './test-storage.ts'

/** Tests backup and restore, alone and during writes. */
export function testBackup(engine: string, { fresh }: StorageUnderTest): void {
  describe(`a backup on ${engine}`, () => {
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

    it('restores a backup whole into an empty database, and refuses a full one', async () => {
      const id = await insertTrace(storage)
      await insertVector(storage, id, new Float32Array([1, 2, 3]))
      const folder = await temporaryFolder()
      const file = join(folder.path, 'backup.gz')
      const made = await backupStorage(storage, file)
      await expect(restoreStorage(storage, file)).rejects.toThrow(/already holds data/)

      const empty = await fresh()
      const copy = await openStorage(empty)
      expect(await restoreStorage(copy, file)).toEqual(made)
      expect(await copy.db.selectFrom('traces').selectAll().execute()).toEqual(
        await storage.db.selectFrom('traces').selectAll().execute(),
      )
      const vector = await copy.db.selectFrom('trace_vectors').selectAll().executeTakeFirstOrThrow()
      expect(fromVectorColumn(vector.embedding)).toEqual(new Float32Array([1, 2, 3]))
      await copy.close()
      await empty.remove()
      await folder.remove()
    })

    it('backs up one moment while a process writes', { timeout: 120_000 }, async () => {
      const folder = await temporaryFolder()
      const writer = startWriter(place, 100_000)
      await writer.acknowledged(20)
      const before = writer.names()
      await backupStorage(storage, join(folder.path, 'backup.gz'))
      await writer.acknowledged(before.length + 20)
      await writer.kill()

      const empty = await fresh()
      const copy = await openStorage(empty)
      await restoreStorage(copy, join(folder.path, 'backup.gz'))
      expect(await missing(copy, before)).toEqual([])
      // Each transaction adds a row and counts it, so an inconsistent backup would show a
      // difference.
      expect(await currentRevision(copy.db, 'tags')).toBe((await tagNames(copy)).length)
      await copy.close()
      await empty.remove()
      await folder.remove()
    })

    it('restores all or nothing where a process writes meanwhile, and loses nothing of it', async () => {
      const folder = await temporaryFolder()
      const file = join(folder.path, 'backup.gz')
      const names = Array.from({ length: 2_000 }, (_, n) => `of-the-backup-${n}`)
      const rows = names.map((name) => ({ name, created_at: 1 }))
      await storage.db.insertInto('tags').values(rows).execute()
      await nextRevision(storage.db, 'tags')
      await backupStorage(storage, file)

      const empty = await fresh()
      const copy = await openStorage(empty)
      const elsewhere = await openStorage(empty)
      const theirs = Array.from({ length: 30 }, (_, n) => `theirs-${n}`)
      const write = async (name: string): Promise<void> =>
        elsewhere.transaction(async (tx) => {
          await tx.insertInto('tags').values({ name, created_at: 1 }).execute()
          await nextRevision(tx, 'tags')
        })
      const [restored] = await Promise.all([
        restoreStorage(copy, file).then(
          () => true,
          () => false,
        ),
        (async () => {
          for (const name of theirs) await write(name)
        })(),
      ])
      expect(await missing(copy, theirs)).toEqual([])
      expect((await missing(copy, names)).length).toBe(restored ? 0 : names.length)
      expect(await currentRevision(copy.db, 'tags')).toBe(theirs.length + (restored ? 1 : 0))
      await elsewhere.close()
      await copy.close()
      await empty.remove()
      await folder.remove()
    })
  })
}
