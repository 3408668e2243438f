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

/** Thrown for a document that cannot be ingested; says why, and what the user can do. */
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

/** Returns the error for a file without what every file of its format has. */
export function incomplete(what: string, program: string, extension: string): DocumentError {
  const suggestion = `Open it in a ${program} and save it again as ${extension}.`
  return new DocumentError('malformed', `The file ${what}`, suggestion)
}
