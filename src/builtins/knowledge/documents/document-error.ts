export type DocumentErrorCode =
  | 'encrypted'
  | 'scanned'
  | 'malformed'
  | 'too_large'
  | 'unsupported'
  | 'empty'
  | 'blocked'
  | 'not_found'
  | 'unreachable'

/** A document that cannot be ingested: what is wrong with it, and what its owner can do. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly code: DocumentErrorCode
  readonly suggestion: string

  constructor(
    code: DocumentErrorCode,
    message: string,
    suggestion: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.suggestion = suggestion
  }
}
