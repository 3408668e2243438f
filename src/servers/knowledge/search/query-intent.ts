const NAMED =
  /\b(?:clauses?|sections?|annex|appendix|§)\s*([A-Z](?:\.\d+)*|\d+(?:\.\d+)*)(?![\w.]*\d)/g
/** A number alone is a clause when it has three parts, or is all that was asked. */
const BARE = /(?<![\w./-])(\d+(?:\.\d+){2,}|[A-Z](?:\.\d+)+)(?![\w%])/g
const ALONE = /^\s*(\d+(?:\.\d+)+|[A-Z])\s*$/g
const DEFINITION = /^(?:what\s+(?:is|are|does)|define|definition\s+of|meaning\s+of)\b/i

export interface QueryIntent {
  /** Clauses the query names: "clause 5.2.1", "Annex A", "4.1.1". */
  readonly clauses: readonly string[]
  readonly asksDefinition: boolean
}

export function queryIntent(query: string): QueryIntent {
  const clauses = [NAMED, BARE, ALONE].flatMap((pattern) =>
    [...query.matchAll(pattern)].flatMap((found) => found[1] ?? []),
  )
  return { clauses: [...new Set(clauses)], asksDefinition: DEFINITION.test(query.trim()) }
}
