import { stringify } from 'yaml'

/** A `cocosearch.yaml` that says what could be in it. */
export function starterConfig(indexName: string): string {
  return `# Code search in this project. Everything is optional; lines with a # show the default.
${stringify({ indexName }).trimEnd()}

# Other indexes that a search here asks as well.
# linkedIndexes: []

# Patterns as in .gitignore.
# indexing:
#   includePatterns: []
#   excludePatterns: []

# search:
#   resultLimit: 10
#   minScore: 0

# Meaning beside words, where a model is at hand: ollama, openai or openrouter.
# embedding:
#   provider: ollama
#   model: nomic-embed-text

# logging:
#   file: false
`
}
