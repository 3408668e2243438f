import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const COOLDOWN_MS = { bash_error: 30_000, error_recurrence: 60_000 } as const

export type TriggerName = keyof typeof COOLDOWN_MS

const record = z.object({
  fired: z.number().default(0),
  /** How often what it offered was opened, or worked. */
  consumed: z.number().default(0),
  suppressed: z.number().default(0),
})
const file = z.record(z.string(), record)
export type TriggerRecord = z.output<typeof record>

const WELCOME_RATE = 0.4
const IGNORED_RATE = 0.05
/** So few firings say nothing yet about whether a trigger is ignored. */
const ENOUGH = 20
const TRY_ANYWAY = 10

/** A trigger that helps may come twice as often, one that is ignored a third as often. */
export function cooldownMs(name: TriggerName, { fired, consumed }: TriggerRecord): number {
  const rate = fired === 0 ? 0 : consumed / fired
  if (rate >= WELCOME_RATE) return COOLDOWN_MS[name] / 2
  return fired >= ENOUGH && rate < IGNORED_RATE ? COOLDOWN_MS[name] * 3 : COOLDOWN_MS[name]
}

/** What is known of the triggers on this machine, over all sessions. */
export class Triggers {
  readonly #path: string

  constructor(home: string) {
    this.#path = join(home, 'hooks', 'triggers.json')
  }

  /** Whether it is time; every tenth time it is not, it fires all the same, so that none is silenced for good. */
  async mayFire(name: TriggerName, sinceLastMs: number): Promise<boolean> {
    const all = await this.#load()
    const known = all[name] ?? record.parse({})
    const isDue = sinceLastMs >= cooldownMs(name, known)
    const suppressed = known.suppressed + (isDue ? 0 : 1)
    const fires = isDue || suppressed % TRY_ANYWAY === 0
    await this.#save({
      ...all,
      [name]: { ...known, suppressed, fired: known.fired + Number(fires) },
    })
    return fires
  }

  async consumed(name: TriggerName): Promise<void> {
    const all = await this.#load()
    const known = all[name] ?? record.parse({})
    await this.#save({ ...all, [name]: { ...known, consumed: known.consumed + 1 } })
  }

  async #load(): Promise<z.output<typeof file>> {
    const text = await readFile(this.#path, 'utf8').catch(() => '{}')
    return file.parse(JSON.parse(text))
  }

  /** Two sessions that write at once lose a count, never the file. */
  async #save(all: z.output<typeof file>): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    const draft = `${this.#path}.${process.pid}`
    await writeFile(draft, JSON.stringify(all), { mode: 0o600 })
    await rename(draft, this.#path)
  }
}
