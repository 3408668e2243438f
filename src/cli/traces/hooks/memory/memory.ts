import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../../../../base/files/replace-file.ts'
import { parseLines } from './session-log.ts'

const at = z.number()
const project = z.string()

const line = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('resolved'),
    at,
    project,
    signature: z.string(),
    fix_command: z.string(),
    fix_files: z.array(z.string()),
    trace_id: z.string().optional(),
  }),
  z.object({ kind: z.literal('used'), at, project, trace_id: z.string(), title: z.string() }),
  z.object({ kind: z.literal('downvoted'), at, trace_id: z.string() }),
  z.object({ kind: z.literal('fired'), at, trigger: z.string() }),
  z.object({ kind: z.literal('consumed'), at, trigger: z.string() }),
])
export type MemoryLine = z.output<typeof line>
export type LineOf<Kind extends MemoryLine['kind']> = Extract<MemoryLine, { kind: Kind }>

const KEPT_DAYS: Record<MemoryLine['kind'], number> = {
  resolved: 180,
  used: 30,
  downvoted: 7,
  fired: 60,
  consumed: 60,
}
const DAY_MS = 86_400_000

/** What the hooks remember over all sessions, on this machine only. */
export class Memory {
  readonly #folder: string
  readonly #file: string

  constructor(home: string) {
    this.#folder = join(home, 'hooks')
    this.#file = join(this.#folder, 'memory.jsonl')
  }

  async add(...lines: readonly MemoryLine[]): Promise<void> {
    if (lines.length === 0) return
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const text = lines.map((each) => `${JSON.stringify(each)}\n`).join('')
    await appendFile(this.#file, text, { mode: 0o600 })
  }

  async lines(): Promise<MemoryLine[]> {
    return parseLines(await readFile(this.#file, 'utf8').catch(() => ''), line)
  }

  async of<Kind extends MemoryLine['kind']>(kind: Kind): Promise<LineOf<Kind>[]> {
    return (await this.lines()).filter((each): each is LineOf<Kind> => each.kind === kind)
  }

  /** Returns earlier fixes of the same error in this project, latest first. */
  async fixesOf(ofProject: string, signature: string): Promise<LineOf<'resolved'>[]> {
    const fixes = await this.of('resolved')
    return fixes
      .filter((each) => each.project === ofProject && each.signature === signature)
      .toReversed()
  }

  /** Removes lines that are older than their kind is kept. */
  async forgetOld(now: number): Promise<void> {
    const all = await this.lines()
    const kept = all.filter((each) => each.at >= now - KEPT_DAYS[each.kind] * DAY_MS)
    if (kept.length === all.length) return
    replaceFile(this.#file, kept.map((each) => `${JSON.stringify(each)}\n`).join(''), 0o600)
  }

  /** True the first time `value` is seen under this name: a day, a month, a version. */
  async isNew(name: string, value: string): Promise<boolean> {
    const file = join(this.#folder, `last-${name}`)
    if ((await readFile(file, 'utf8').catch(() => undefined)) === value) return false
    replaceFile(file, value, 0o600)
    return true
  }
}
