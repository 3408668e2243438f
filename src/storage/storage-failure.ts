import { codeOf } from '../base/errors.ts'

/** An error that a person can act on; its message is shown without a stack. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
}

export type StorageFailure = 'duplicate' | 'full' | 'unavailable' | 'transient' | 'malformed'

const BY_CODE: Record<string, StorageFailure> = {
  '23505': 'duplicate',
  SQLITE_CONSTRAINT_UNIQUE: 'duplicate',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'duplicate',
  '53100': 'full',
  SQLITE_FULL: 'full',
  SQLITE_NOTADB: 'malformed',
  '40001': 'transient',
  '40P01': 'transient',
  '53300': 'unavailable',
  '57P01': 'unavailable',
  '57P02': 'unavailable',
  '57P03': 'unavailable',
  '57014': 'unavailable',
  ECONNREFUSED: 'unavailable',
  ECONNRESET: 'unavailable',
  EPIPE: 'unavailable',
  ENOTFOUND: 'unavailable',
  ETIMEDOUT: 'unavailable',
  EAI_AGAIN: 'unavailable',
  EHOSTUNREACH: 'unavailable',
  ENETUNREACH: 'unavailable',
}

/** Classifies a database error; undefined for an error in Portolan's own code. */
export function storageFailure(error: unknown): StorageFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error) ?? ''
  const known = BY_CODE[code]
  if (known) return known
  if (/^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY)/.test(code)) return 'unavailable'
  if (code.startsWith('SQLITE_CORRUPT')) return 'malformed'
  // pg reports a lost or late connection by message alone.
  return /Connection terminated|timeout exceeded when trying to connect|not queryable/.test(
    error.message,
  )
    ? 'unavailable'
    : undefined
}

export function isTransient(error: unknown): boolean {
  return storageFailure(error) === 'transient'
}
