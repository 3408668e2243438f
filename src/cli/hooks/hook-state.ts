import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const failure = z.object({
  signature: z.string(),
  command: z.string(),
  at: z.number(),
  /** The best trace that was shown for it, credited when the command works afterwards. */
  shown: z.string().optional(),
})

const session = z.object({
  failures: z.array(failure).default([]),
  resolved: z.number().default(0),
  assisted: z.number().default(0),
  searches: z.number().default(0),
  opened: z.array(z.string()).default([]),
  contributed: z.number().default(0),
  proposed: z.boolean().default(false),
  searchedAt: z.number().default(0),
})
export type Session = z.output<typeof session>

const entry = z.object({
  kind: z.enum(['resolved', 'contributed']),
  project: z.string(),
  signature: z.string().optional(),
  fix_command: z.string().optional(),
  trace_id: z.string().optional(),
  minutes: z.number().optional(),
  at: z.number(),
})
export type LedgerEntry = z.output<typeof entry>

/** What the hooks remember, on this machine only: a file for each session, and a ledger of what was saved. */
export class HookState {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'hooks')
  }

  async load(id: string): Promise<Session> {
    const text = await readFile(this.#sessionFile(id), 'utf8').catch(() => '{}')
    return session.parse(JSON.parse(text))
  }

  async save(id: string, state: Session): Promise<void> {
    const file = this.#sessionFile(id)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(`${file}.${process.pid}`, JSON.stringify(state), { mode: 0o600 })
    await rename(`${file}.${process.pid}`, file)
  }

  async record(line: LedgerEntry): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await appendFile(this.#ledger, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }

  async ledger(): Promise<LedgerEntry[]> {
    const text = await readFile(this.#ledger, 'utf8').catch(() => '')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => entry.parse(JSON.parse(line)))
  }

  /** How the same mistake was put right in this project before. */
  async knownFix(project: string, signature: string): Promise<LedgerEntry | undefined> {
    const entries = await this.ledger()
    return entries.findLast(
      (line) =>
        line.kind === 'resolved' && line.project === project && line.signature === signature,
    )
  }

  get #ledger(): string {
    return join(this.#folder, 'ledger.jsonl')
  }

  /** The id comes from outside: its hash is a safe file name. */
  #sessionFile(id: string): string {
    const name = createHash('sha256').update(id).digest('hex').slice(0, 24)
    return join(this.#folder, 'sessions', `${name}.json`)
  }
}
