import type { JsonObject } from '../../src/base/json/json.ts'
import type { Opened } from './open-gateway.ts'

/** What a gateway has recorded so far, oldest first. */
export function auditOf({ folder }: Pick<Opened, 'folder'>): JsonObject[] {
  const lines = folder.read('data/audit.jsonl').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
