import { grep } from './grep.ts'
import { type PageOptions, page } from './page.ts'

/** Which part of some data goes to its reader: for a model one page of it, for a program all that was asked for. */
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
