import type { JsonObject } from '../../src/base/json/json.ts'
import type { Opened } from './open-gateway.ts'

/** Returns the audit record of a gateway so far, oldest first. */
export function auditOf({ folder }: Pick<Opened, 'folder'>): JsonObject[] {
  const lines = folder.read('data/audit.jsonl').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
