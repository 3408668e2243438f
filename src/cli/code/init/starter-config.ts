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

# Models and log files are chosen by whoever runs the server, not by a project:
# COCOSEARCH_EMBEDDING_PROVIDER, COCOSEARCH_EMBEDDING_MODEL, COCOSEARCH_LOG_FILE.
`
}
