import { grep } from './grep.ts'
import { type PageOptions, page } from './page.ts'

/** The part of some data to return: a page for a model, or everything asked for to a program. */
export interface Excerpt {
  readonly grep?: string | undefined
  readonly page?: PageOptions | undefined
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

export function excerptOf(data: unknown, excerpt: Excerpt): unknown {
  const found = excerpt.grep ? grep(data, excerpt.grep) : data
  if (excerpt.page) return page(found, excerpt.page)
  const { offset = 0, limit = Infinity } = excerpt
  return Array.isArray(found) || typeof found === 'string'
    ? found.slice(offset, offset + limit)
    : found
}

/** The hint for an expression that takes too much work or finds too much. */
export const NARROW =
  'Narrow the result first, such as items[:1000] | …, copy it fewer times, or read it page by page with offset and limit.'
