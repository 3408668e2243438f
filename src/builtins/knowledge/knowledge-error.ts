import { messageOf } from '../../base/errors.ts'
import { EmbedderError } from '../../search/embed/embedder-error.ts'
import { storageFailure } from '../../storage/storage-failure.ts'
import { DocumentError } from './documents/document-error.ts'

export type KnowledgeErrorCode =
  | 'config_error'
  | 'connection_error'
  | 'timeout_error'
  | 'auth_error'
  | 'not_found'
  | 'invalid_input'
  | 'rate_limited'
  | 'internal_error'

export interface KnowledgeErrorDetails {
  readonly suggestion?: string
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/** An error that says what went wrong, whether a retry may help, and what to do. */
export class KnowledgeError extends Error {
  override readonly name = 'KnowledgeError'
  readonly code: KnowledgeErrorCode
  readonly recoverable: boolean
  readonly suggestion: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: KnowledgeErrorCode, message: string, options: KnowledgeErrorDetails = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.recoverable = RECOVERABLE.has(code)
    this.suggestion = options.suggestion ?? SUGGESTIONS[code]
    this.details = options.details ?? {}
  }
}

const RECOVERABLE: ReadonlySet<KnowledgeErrorCode> = new Set([
  'connection_error',
  'timeout_error',
  'rate_limited',
])

const SUGGESTIONS: Readonly<Record<KnowledgeErrorCode, string>> = {
  config_error: 'Check the settings of the knowledge base.',
  connection_error: 'Check that the service is running and reachable, then try again.',
  timeout_error: 'Try again; if it goes on, raise the deadline.',
  auth_error: 'Check the API key.',
  not_found: 'List what there is with knowledge_sources or list_collections.',
  invalid_input: 'Correct the arguments and call again.',
  rate_limited: 'Wait a little, then try again.',
  internal_error: 'See the log of the server.',
}

/** Converts any error to one that the caller can act on, with the original as its cause. */
export function toKnowledgeError(error: unknown): KnowledgeError {
  if (error instanceof KnowledgeError) return error
  if (error instanceof DocumentError) return fromDocument(error)
  if (error instanceof EmbedderError) return fromEmbedder(error)
  const message = messageOf(error)
  const failure = storageFailure(error)
  if (failure === 'unavailable' || failure === 'transient') {
    return new KnowledgeError('connection_error', `The database is not reachable: ${message}`, {
      cause: error,
    })
  }
  if (failure === 'malformed') {
    return new KnowledgeError('internal_error', `The database file is damaged: ${message}`, {
      suggestion: 'Restore it from a backup with `portolan restore`.',
      cause: error,
    })
  }
  if (failure === 'full') {
    return new KnowledgeError('internal_error', `The database is full: ${message}`, {
      suggestion: 'Free disk space, then try again.',
      cause: error,
    })
  }
  return new KnowledgeError('internal_error', message, { cause: error })
}

const BY_DOCUMENT: Readonly<Record<DocumentError['code'], KnowledgeErrorCode>> = {
  encrypted: 'invalid_input',
  scanned: 'invalid_input',
  malformed: 'invalid_input',
  too_large: 'invalid_input',
  unsupported: 'invalid_input',
  empty: 'invalid_input',
  blocked: 'invalid_input',
  not_found: 'not_found',
  unreachable: 'connection_error',
}

function fromDocument(error: DocumentError): KnowledgeError {
  return new KnowledgeError(BY_DOCUMENT[error.code], error.message, {
    suggestion: error.suggestion,
    details: { reason: error.code },
    cause: error,
  })
}

const BY_EMBEDDER: Readonly<Record<EmbedderError['reason'], KnowledgeErrorCode>> = {
  unreachable: 'connection_error',
  unavailable: 'connection_error',
  'rate-limited': 'rate_limited',
  refused: 'auth_error',
  'bad-answer': 'connection_error',
  'not-installed': 'config_error',
  mismatch: 'config_error',
}

function fromEmbedder(error: EmbedderError): KnowledgeError {
  return new KnowledgeError(BY_EMBEDDER[error.reason], error.message, {
    suggestion: 'Check the embedding service, then try again.',
    cause: error,
  })
}
