import { type JsonObject, isObject } from '../../base/json/json.ts'
import { type Interest, wordsOf } from './fields/fields.ts'

const MAX_WORDS = 60
const MAX_DEPTH = 6

/** Collects the words of the caller's arguments and the fields that the tool's schema requires. */
export function interestOf(args: JsonObject, outputSchema: JsonObject | undefined): Interest {
  const terms = new Set<string>()
  collectTerms(args, terms, 0)
  const required = new Set<string>()
  if (outputSchema) collectRequired(outputSchema, required, 0)
  return { terms, required }
}

function collectTerms(value: unknown, terms: Set<string>, depth: number): void {
  if (terms.size >= MAX_WORDS || depth > MAX_DEPTH) return
  if (typeof value === 'string') {
    const text = value.slice(0, 500)
    terms.add(text.toLowerCase())
    for (const word of wordsOf(text)) if (word.length > 2) terms.add(word)
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value).slice(0, MAX_WORDS)) {
      collectTerms(inner, terms, depth + 1)
    }
  }
}

function collectRequired(schema: JsonObject, required: Set<string>, depth: number): void {
  if (required.size >= 200 || depth > MAX_DEPTH) return
  if (Array.isArray(schema['required'])) {
    for (const name of schema['required']) required.add(String(name))
  }
  const children = isObject(schema['properties']) ? Object.values(schema['properties']) : []
  for (const child of [...children, schema['items']]) {
    if (isObject(child)) collectRequired(child, required, depth + 1)
  }
}
