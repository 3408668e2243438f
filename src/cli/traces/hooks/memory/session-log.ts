import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { hasCode } from '../../../../base/errors.ts'

const at = z.number()
const TRIGGERS = ['bash_error', 'error_recurrence', 'pre_code', 'domain_entry'] as const
export type TriggerName = (typeof TRIGGERS)[number]
const trigger = z.enum(TRIGGERS)

const event = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('failed'), at, command: z.string(), signature: z.string() }),
  z.object({
    kind: z.literal('resolved'),
    at,
    /** The time of the first of these failures. */
    since: z.number(),
    command: z.string(),
  }),
  z.object({ kind: z.literal('edited'), at, file: z.string() }),
  z.object({ kind: z.literal('entered'), at, domain: z.string() }),
  z.object({ kind: z.literal('fired'), at, trigger }),
  z.object({ kind: z.literal('held'), at, trigger }),
  z.object({ kind: z.literal('consumed'), at, trigger }),
  /** The best trace that was shown for an error. */
  z.object({ kind: z.literal('shown'), at, trace_id: z.string() }),
  z.object({ kind: z.literal('opened'), at, trace_id: z.string() }),
  z.object({ kind: z.literal('proposed'), at }),
  z.object({ kind: z.literal('contributed'), at }),
])
export type SessionEvent = z.output<typeof event>
export type EventOf<Kind extends SessionEvent['kind']> = Extract<SessionEvent, { kind: Kind }>

/** The events of one session, appended line by line, as its hooks run concurrently. */
export class SessionLog {
  readonly #folder: string
  readonly #file: string

  constructor(home: string, session: string) {
    this.#folder = join(home, 'hooks', 'sessions')
    // The id is untrusted, but its hash is a safe file name.
    const name = createHash('sha256').update(session).digest('hex').slice(0, 24)
    this.#file = join(this.#folder, `${name}.jsonl`)
  }

  async add(...events: readonly SessionEvent[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const lines = events.map((each) => `${JSON.stringify(each)}\n`)
    await appendFile(this.#file, lines.join(''), { mode: 0o600 })
  }

  async events(): Promise<SessionEvent[]> {
    return parseLines(await readFile(this.#file, 'utf8').catch(() => ''), event)
  }

  /** Deletes the logs of sessions that have not changed since `moment`. */
  async forgetBefore(moment: number): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name)
      if ((await changedAt(path)) < moment) await rm(path, { force: true })
    }
  }
}

/** Returns when a file was changed; never for one that another session has just deleted. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return Infinity
    throw error
  }
}

export function eventsOf<Kind extends SessionEvent['kind']>(
  events: readonly SessionEvent[],
  kind: Kind,
): EventOf<Kind>[] {
  return events.filter((each): each is EventOf<Kind> => each.kind === kind)
}

/** Skips lines that cannot be parsed, such as one torn by a crash. */
export function parseLines<T>(text: string, schema: z.ZodType<T>): T[] {
  return text.split('\n').flatMap((line) => {
    if (line === '') return []
    try {
      const parsed = schema.safeParse(JSON.parse(line))
      return parsed.success ? [parsed.data] : []
    } catch {
      return []
    }
  })
}
