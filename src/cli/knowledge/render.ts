import { type JsonObject, isObject } from '../../base/json/json.ts'

/** Renders the answer of knowledge_search: each citation, then its passage. */
export function renderResults(answer: JsonObject): string {
  const results = objects(answer['results'])
  if (results.length === 0) {
    const suggestions = Array.isArray(answer['suggestions']) ? answer['suggestions'] : []
    return [String(answer['message']), ...suggestions.map((text) => `  ${String(text)}`), ''].join(
      '\n',
    )
  }
  return results
    .map(
      ({ citation, relevance, content }) =>
        `${String(citation)}  [${String(relevance)}]\n${indent(String(content))}\n`,
    )
    .join('\n')
}

export function renderSources(answer: JsonObject): string {
  const lines = objects(answer['sources']).map((source) => {
    const { status, chunk_count: chunks, title, url, error } = source
    const failure = isObject(error) ? ` — ${String(error['message'])}` : ''
    return `${String(status).padEnd(9)} ${String(chunks).padStart(6)}  ${String(title)}  ${String(url)}${failure}`
  })
  return `${[...lines, `${String(answer['total'])} sources`].join('\n')}\n`
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}
