const NAMED =
  /\b(?:[Cc]lauses?|[Ss]ections?|[Aa]nnex|[Aa]ppendix|§)\s*([A-Z](?:\.\d+)*|\d+(?:\.\d+)*)(?![\w.]*\d)/g
/** A number alone is a clause when it has three parts, or is all that was asked. */
const BARE = /(?<![\w./-])(\d+(?:\.\d+){2,}|[A-Z](?:\.\d+)+)(?![\w%])/g
const ALONE = /^\s*(\d+(?:\.\d+)+|[A-Z])\s*$/g
const DEFINITION =
  /^(?:what\s+(?:is|are|does)|define|definition\s+of|meaning\s+of)\s+(?:an?\s+|the\s+)?(.+?)(?:\s+mean)?\s*\??$/i
/** Words that ask and do not describe: "how long" is not about length, "the difference between" is not about tools that compare. */
const ASKING =
  /\b(?:how\s+(?:long|many|much|often|far|fast|large|big)|the\s+difference\s+between)\b/gi

export interface QueryIntent {
  /** Clauses the query names: "clause 5.2.1", "Annex A", "4.1.1". */
  readonly clauses: readonly string[]
  /** What is to be defined, in lower case. */
  readonly term: string | undefined
  /** The query without the words that only ask. */
  readonly words: string
}

export function queryIntent(query: string): QueryIntent {
  const clauses = [NAMED, BARE, ALONE].flatMap((pattern) =>
    [...query.matchAll(pattern)].flatMap((found) => found[1] ?? []),
  )
  const term = DEFINITION.exec(query.trim())?.[1]?.toLowerCase()
  return { clauses: [...new Set(clauses)], term, words: query.replace(ASKING, ' ') }
}
