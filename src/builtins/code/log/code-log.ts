export type LogCategory = 'search' | 'index' | 'mcp' | 'cache' | 'infra' | 'system' | 'deps'

export interface LogEntry {
  readonly ts: string
  readonly level: 'info' | 'warning' | 'error'
  readonly cat: LogCategory
  readonly msg: string
  readonly fields: Readonly<Record<string, unknown>>
}

interface LineOptions {
  readonly level?: LogEntry['level']
  readonly atMs?: number
}

const KEPT = 1_000

/** The last thousand log lines of code search, for the log page and for listeners to new lines. */
export class CodeLog {
  readonly #kept: LogEntry[] = []
  readonly #listeners = new Set<(entry: LogEntry) => void>()

  /** Oldest first. */
  get recent(): readonly LogEntry[] {
    return [...this.#kept]
  }

  add(
    cat: LogCategory,
    msg: string,
    fields: LogEntry['fields'] = {},
    { level = 'info', atMs = Date.now() }: LineOptions = {},
  ): void {
    const entry = { ts: new Date(atMs).toISOString(), level, cat, msg, fields }
    this.#kept.push(entry)
    if (this.#kept.length > KEPT) this.#kept.shift()
    for (const listener of this.#listeners) listener(entry)
  }

  /** Returns a function that stops listening. */
  listen(listener: (entry: LogEntry) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

const DEPS = /^get_(?:file|batch)_/
const SEARCH = /^(?:search_code|analyze_query|find_|outline$)/
const INDEX = /index/

/** Returns the log category of a tool. */
export function categoryOf(tool: string): LogCategory {
  if (DEPS.test(tool)) return 'deps'
  if (SEARCH.test(tool)) return 'search'
  return INDEX.test(tool) ? 'index' : 'mcp'
}
