import { CompiledQuery } from 'kysely'
import type { Storage } from '../storage.ts'

export interface RawSql {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

const ROLLBACK = CompiledQuery.raw('rollback')

/**
 * Runs SQL for a library that writes its own. A text may contain a whole transaction, so if it
 * fails, it is rolled back before the connection returns to the pool.
 */
export function rawSql({ db }: Storage): RawSql {
  return {
    executeSql: async (text, values) =>
      db.connection().execute(async (connection) => {
        try {
          const { rows } = await connection.executeQuery(CompiledQuery.raw(text, values ?? []))
          return { rows }
        } catch (error) {
          await connection.executeQuery(ROLLBACK).catch(() => undefined)
          throw error
        }
      }),
  }
}
