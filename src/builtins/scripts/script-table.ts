import { notify } from '../../storage/notices.ts'
import type { Db, Storage } from '../../storage/storage.ts'
import type { ScriptStore } from './saved-scripts.ts'
import { storedBefore } from './stored-before.ts'

/** A row that says that the scripts of earlier versions are in this table. */
const BROUGHT_OVER = 'brought-over'

/** Scripts in the database that replicas share: the same texts as in files. */
export async function openScriptTable(storage: Storage): Promise<ScriptStore> {
  await storage.transaction(async (tx) => {
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('script_files')
      .values({ file: BROUGHT_OVER, text: '' })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 0n) return
    for (const [file, text] of await storedBefore(tx)) await writeScript(tx, file, text)
  })
  async function change<Result>(file: string, work: (tx: Db) => Promise<Result>): Promise<Result> {
    return storage.transaction(async (tx) => {
      const result = await work(tx)
      await notify(tx, storage.engine, 'scripts', file)
      return result
    })
  }
  return {
    async read() {
      const rows = await storage.db
        .selectFrom('script_files')
        .selectAll()
        .where('file', '!=', BROUGHT_OVER)
        .execute()
      return new Map(rows.map(({ file, text }) => [file, text]))
    },
    write: async (file, text) => change(file, async (tx) => writeScript(tx, file, text)),
    remove: async (file) =>
      change(file, async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('script_files')
          .where('file', '=', file)
          .executeTakeFirst()
        return numDeletedRows > 0n
      }),
  }
}

async function writeScript(db: Db, file: string, text: string): Promise<void> {
  await db
    .insertInto('script_files')
    .values({ file, text })
    .onConflict((conflict) => conflict.column('file').doUpdateSet({ text }))
    .execute()
}
