const CLAUSE =
  /\b(?:clauses?|sections?|annex|appendix|§)\s*([A-Z](?:\.\d+)*|\d+(?:\.\d+)*)(?![\w.]*\d)|(?<![\w.])(\d+(?:\.\d+)+|[A-Z](?:\.\d+)+)(?![\w%])/g
const DEFINITION = /^(?:what\s+(?:is|are|does)|define|definition\s+of|meaning\s+of)\b/i

export interface QueryIntent {
  /** Clauses the query names: "clause 5.2.1", "Annex A", "4.1.1". */
  readonly clauses: readonly string[]
  readonly asksDefinition: boolean
}

export function queryIntent(query: string): QueryIntent {
  const clauses = [...query.matchAll(CLAUSE)].flatMap((found) => found[1] ?? found[2] ?? [])
  return { clauses: [...new Set(clauses)], asksDefinition: DEFINITION.test(query.trim()) }
}
