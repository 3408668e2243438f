import { CompiledQuery } from 'kysely'
import type { Storage } from '../storage.ts'

export interface RawSql {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

const ROLLBACK = CompiledQuery.raw('rollback')

/**
 * The connections of a database, for a library that writes its own SQL. A text may hold a whole
 * transaction: when it fails half-way, its connection must not go back to the others as it is.
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
