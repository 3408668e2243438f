import { isObject } from '../../base/json/json.ts'
import type { Db } from '../../storage/storage.ts'
import { toText } from './script-text.ts'

/** Returns the scripts that earlier versions kept in the database with versions: those in use. */
export async function storedBefore(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('saved_script_versions as v')
    .innerJoin('saved_scripts as s', (join) =>
      join.onRef('s.name', '=', 'v.name').onRef('s.active_version', '=', 'v.version'),
    )
    .selectAll('v')
    .execute()
  const texts = rows.map(async (row) => {
    const schema: unknown = JSON.parse(row.input_schema_json)
    const text = await toText({
      name: row.name,
      description: row.description,
      inputSchema: isObject(schema) ? schema : {},
      source: row.source,
      state: 'approved',
      author: row.author,
      savedAt: new Date(row.created_at).toISOString(),
      approvedBy: row.decided_by ?? undefined,
    })
    return [`${row.name}.ts`, text] as const
  })
  return new Map(await Promise.all(texts))
}
