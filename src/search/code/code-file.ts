/** A source file as the index sees it: read, cut into chunks, its definitions found. */
export interface CodeFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string
  readonly chunks: readonly CodeChunk[]
}

export interface CodeChunk {
  /** 1-based and inclusive. */
  readonly startLine: number
  readonly endLine: number
  readonly text: string
  /** Names this chunk defines (functions, types, methods, constants), unqualified. */
  readonly definitions: readonly string[]
}

export interface CodeHit {
  readonly path: string
  /** Which chunk of the file, counted from 0. */
  readonly chunk: number
  readonly startLine: number
  readonly endLine: number
  /** 0..1. */
  readonly score: number
}
