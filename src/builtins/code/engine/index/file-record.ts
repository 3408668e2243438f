import type { ImportRef } from '../../graph/import-ref.ts'
import type { CodeBlock } from '../../scan/scan-blocks.ts'
import type { CodeSymbol } from '../../code-symbol.ts'

type ParseStatus = 'ok' | 'partial' | 'error' | 'no_grammar' | 'skipped' | 'pending'

/** Everything the index stores about one file, apart from its words. */
export interface FileRecord {
  readonly size: number
  readonly mtimeMs: number
  /** When it was read; a file modified within the clock's resolution before that is read again. */
  readonly readAtMs: number
  readonly hash: string
  readonly language: string
  readonly languageId: string
  readonly lines: number
  /** First and last line of every chunk, one after the other. */
  readonly ranges: readonly number[]
  readonly symbols: readonly CodeSymbol[]
  readonly blocks: readonly CodeBlock[]
  readonly imports: readonly ImportRef[]
  readonly parse: { readonly status: ParseStatus; readonly message?: string }
}
