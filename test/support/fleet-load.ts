import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../src/base/json/json.ts'
import { textOf } from './clients/talk.ts'
import type { Answer, FleetClient } from './fleet-client.ts'

export interface Mishap {
  /** Milliseconds since the load began. */
  readonly atMs: number
  readonly era: 'legacy' | 'modern'
  readonly error: string
}

const WRITE_EVERY = 10
const PAUSE_MS = 15

/** Runs several clients, and records their answers, failures and acknowledged writes. */
export class FleetLoad {
  readonly mishaps: Mishap[] = []
  /** Traces that were acknowledged. */
  readonly written: string[] = []
  answers = 0
  wrong = 0
  /** Writes that were explicitly refused, so not acknowledged. */
  refusedWrites = 0
  readonly #begunAt = performance.now()
  readonly #workers: Promise<void>[]
  readonly #clients: readonly FleetClient[]
  #stopped = false

  constructor(clients: readonly FleetClient[]) {
    this.#clients = clients
    this.#workers = clients.map(async (client) => this.#work(client))
  }

  get lostSessions(): number {
    return this.#clients.reduce((sum, { lostSessions }) => sum + lostSessions, 0)
  }

  get nowMs(): number {
    return performance.now() - this.#begunAt
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#workers)
  }

  async #work(client: FleetClient): Promise<void> {
    for (let n = 1; !this.#stopped; n += 1) {
      await (n % WRITE_EVERY === 0 ? this.#write(client) : this.#read(client))
      await sleep(PAUSE_MS)
    }
  }

  async #read(client: FleetClient): Promise<void> {
    const text = words(4)
    const answer = await client.call('echo__echo', { text })
    if (!this.#took(answer, client)) return
    if (textOf(answer.result) === text) this.answers += 1
    else if (answer.result['isError'] === true) this.#note(client, textOf(answer.result))
    else this.wrong += 1
  }

  async #write(client: FleetClient): Promise<void> {
    const answer = await client.call('traces__contribute_trace', {
      title: words(6),
      context_text: words(30),
      solution_text: words(30),
    })
    if (!this.#took(answer, client)) return
    const { structuredContent: told } = answer.result
    const id = isObject(told) ? (told['id'] ?? told['trace_id']) : undefined
    if (typeof id === 'string') {
      this.answers += 1
      this.written.push(id)
    } else this.refusedWrites += 1
  }

  #took(answer: Answer, client: FleetClient): answer is Answer & { kind: 'result' } {
    if (answer.kind === 'result') return true
    this.#note(client, answer.error)
    return false
  }

  #note({ era }: FleetClient, error: string): void {
    this.mishaps.push({ atMs: Math.round(this.nowMs), era, error: error.slice(0, 120) })
  }
}

/** Returns random words that are unique. */
function words(count: number): string {
  return Array.from({ length: count }, () => randomBytes(4).toString('hex')).join(' ')
}
