import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const failure = z.object({
  signature: z.string(),
  command: z.string(),
  at: z.number(),
  /** The best trace that was shown for it, credited when the command works afterwards. */
  shown: z.string().optional(),
})

const trigger = z.object({ fired: z.number(), consumed: z.number(), at: z.number() })

const session = z.object({
  failures: z.array(failure).default([]),
  resolved: z.number().default(0),
  assisted: z.number().default(0),
  searches: z.number().default(0),
  opened: z.array(z.string()).default([]),
  contributed: z.number().default(0),
  proposed: z.boolean().default(false),
  /** What each trigger did in this session. */
  triggers: z.record(z.string(), trigger).default({}),
  /** Which trigger offered something last, until that is taken up. */
  offered: z.enum(['bash_error', 'error_recurrence']).optional(),
  /** What of all this the service has been told. */
  reported: z.string().default(''),
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

  /** True once on each day. */
  async isFirstOn(day: number): Promise<boolean> {
    const file = join(this.#folder, 'last-day')
    if ((await readFile(file, 'utf8').catch(() => '')) === String(day)) return false
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(file, String(day), { mode: 0o600 })
    return true
  }

  /** Sessions that nobody will continue. */
  async forgetBefore(moment: number): Promise<void> {
    const folder = join(this.#folder, 'sessions')
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const { mtimeMs } = await stat(path)
      if (mtimeMs < moment) await rm(path, { force: true })
    }
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
