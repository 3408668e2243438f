import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isObject } from '../../base/json/json.ts'
import { type SessionFacts, type SessionStore, toSessionFacts } from '../../fronts/session-store.ts'
import { writeSecretFile } from '../../identity/safe-file.ts'

interface Stored {
  /** When its client was last seen, or up to a quarter of the idle time before. */
  readonly at: number
  readonly facts: SessionFacts
}

/** The most sessions to store; those that were silent for longest are left out. */
const MOST_SESSIONS = 1_000
const WRITE_AFTER_MS = 1_000

/**
 * Stores the sessions of a single process in a file, so that they survive a restart: many clients do
 * not open a new session when the gateway does not know theirs. Ids are stored as hashes.
 */
export function createSessionFile(
  path: string,
  idleMs: number,
  onError: (error: unknown) => void,
): SessionStore {
  let sessions: Map<string, Stored> | undefined
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let isFailing = false
  const stored = () => (sessions ??= read(path))

  function changed(): void {
    timer ??= setTimeout(() => void write(), WRITE_AFTER_MS).unref()
  }

  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const living = [...stored()].filter(([, { at }]) => Date.now() - at < idleMs)
    sessions = new Map(living.slice(-MOST_SESSIONS))
    const text = JSON.stringify(Object.fromEntries(sessions))
    writing = writing.then(async () => store(text))
    await writing
  }

  /** Reports a failure once, until it has stored something again. */
  async function store(text: string): Promise<void> {
    try {
      await writeSecretFile(path, text)
      isFailing = false
    } catch (error) {
      if (!isFailing) onError(error)
      isFailing = true
    }
  }

  return {
    async save(id, facts) {
      const key = keyOf(id)
      // At the end, so that the order is that of the last save.
      stored().delete(key)
      stored().set(key, { at: Date.now(), facts })
      changed()
    },
    async load(id) {
      const found = stored().get(keyOf(id))
      return found && Date.now() - found.at < idleMs ? found.facts : undefined
    },
    async remove(id) {
      if (stored().delete(keyOf(id))) changed()
    },
    publish: () => undefined,
    subscribe: () => ({ ready: Promise.resolve(), stop: () => undefined }),
    onLoss: () => undefined,
    async close() {
      if (timer) await write()
      await writing
    },
  }
}

function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}

/** A file that is missing or damaged holds no sessions: their clients open new ones. */
function read(path: string): Map<string, Stored> {
  const sessions = new Map<string, Stored>()
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return sessions
  }
  for (const [key, value] of Object.entries(isObject(content) ? content : {})) {
    const facts = isObject(value) ? toSessionFacts(value['facts']) : undefined
    if (isObject(value) && facts) sessions.set(key, { at: Number(value['at']), facts })
  }
  return sessions
}
