import type { DocumentFormat } from '../documents/formats.ts'
import type { Validators } from './fetch-url.ts'

/** A document that can be loaded: a file, a web page, or a file of a repository. */
export interface SourceItem {
  /** Its location in a stable form: absolute path, URL, or `repository#path`. */
  readonly location: string
  readonly sourceType: 'document' | 'web'
  load(known: Validators): Promise<LoadedItem | 'unchanged'>
}

export interface LoadedItem extends Validators {
  readonly name: string
  readonly bytes: Uint8Array
  readonly format?: DocumentFormat | undefined
}
