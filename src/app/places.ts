import type { SharedDatabase } from '../replicas/database/open-database.ts'
import type { Settings } from '../config/settings.ts'
import { createFileKeyStore } from '../identity/file-key-store.ts'
import { identityFiles } from '../identity/identity-files.ts'
import { createMemoryStore } from '../shaping/handles/result-store.ts'
import type { AuditLog } from '../telemetry/audit-log.ts'
import { createFileAuditSearch } from '../telemetry/file-audit-search.ts'

/** Where a process by itself keeps what must not be lost: in its data folder. */
export function ownPlaces({ home, audit, budgets }: Settings, auditLog: AuditLog) {
  const { keys, handleSecret } = identityFiles(home)
  return {
    keys: createFileKeyStore(keys),
    handleSecret,
    results: memoryFor(budgets),
    auditIndex: undefined,
    auditSearch: createFileAuditSearch({
      path: auditLog.status.path,
      keep: audit.maxFiles,
      flush: async () => auditLog.flush(),
    }),
  }
}

/** Where replicas keep it: in the database they share. */
export function sharedPlaces({ budgets, database: wishes }: Settings, database: SharedDatabase) {
  database.keepHouse(() => wishes)
  return {
    keys: database.keys(wishes.keyGraceMs),
    handleSecret: database.handleSecret,
    results: database.results(memoryFor(budgets), budgets.handleTtlMs),
    auditIndex: wishes.auditIndex ? database.auditIndex() : undefined,
    auditSearch: database.auditSearch,
  }
}

function memoryFor({ handleTtlMs, handleMaxBytes }: Settings['budgets']) {
  return createMemoryStore({ ttlMs: handleTtlMs, maxBytes: handleMaxBytes })
}
