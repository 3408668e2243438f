const NAMED =
  /\b(?:[Cc]lauses?|[Ss]ections?|[Aa]nnex|[Aa]ppendix|§)\s*([A-Z](?:\.\d+)*|\d+(?:\.\d+)*)(?![\w.]*\d)/g
/** A bare number is a clause if it has three parts, or if it is the whole query. */
const BARE = /(?<![\w./-])(\d+(?:\.\d+){2,}|[A-Z](?:\.\d+)+)(?![\w%])/g
const ALONE = /^\s*(\d+(?:\.\d+)+|[A-Z])\s*$/g
const DEFINITION =
  /^(?:what\s+(?:is|are|does)|define|definition\s+of|meaning\s+of)\s+(?:an?\s+|the\s+)?(.+?)(?:\s+mean)?\s*\??$/i
/** Question words that do not describe the topic: "how long" is not about length. */
const ASKING =
  /\b(?:how\s+(?:long|many|much|often|far|fast|large|big)|the\s+difference\s+between)\b/gi

export interface QueryIntent {
  /** Clauses the query names: "clause 5.2.1", "Annex A", "4.1.1". */
  readonly clauses: readonly string[]
  /** The term to define, in lower case. */
  readonly term: string | undefined
  /** The query without question words. */
  readonly words: string
}

export function queryIntent(query: string): QueryIntent {
  const clauses = [NAMED, BARE, ALONE].flatMap((pattern) =>
    [...query.matchAll(pattern)].flatMap((found) => found[1] ?? []),
  )
  const term = DEFINITION.exec(query.trim())?.[1]?.toLowerCase()
  return { clauses: [...new Set(clauses)], term, words: query.replace(ASKING, ' ') }
}
