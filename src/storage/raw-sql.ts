import { CompiledQuery } from 'kysely'
import type { Storage } from './storage.ts'

export interface RawSql {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

/** The connections of a database, for a library that writes its own SQL. */
export function rawSql({ db }: Storage): RawSql {
  return {
    async executeSql(text, values) {
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values ?? []))
      return { rows }
    },
  }
}
