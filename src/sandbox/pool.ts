import { messageOf } from '../base/errors.ts'
import { Canceller, type Signal } from '../base/flow/signal.ts'
import { loadEngine } from './engine/load-engine.ts'
import type { Limits } from './limits.ts'
import type {
  Answer,
  Ask,
  ScriptEnd,
  Engine,
  Failure,
  FromThread,
  SuspendedRun,
} from './messages.ts'
import { type Host, type RunPlace, Run, type Script } from './run.ts'
import { Thread } from './thread.ts'

/** How often threads are checked for a script that is stuck. */
const WATCH_MS = 50
/** A script that has waited this long gives its thread to another one, if any is queued. */
const SWAP_AFTER_MS = 2
/** The messages by which a thread becomes free for another script. */
const LETS_GO: ReadonlySet<FromThread['kind']> = new Set(['ended', 'swapped', 'dropped'])
/** Threads end when no script has run for this long. */
const IDLE_MS = 300_000
/** Runs the code paths of every script once, since V8 compiles them on first use. */
const REHEARSAL: Script = {
  source: 'await sleep(0); JSON.parse("[1]")',
  input: '{}',
  wallMs: 60_000,
}
const SILENT: Host = { log: () => {}, answer: async () => ({ kind: 'value', text: 'null' }) }

/**
 * Runs scripts on a few threads, each in its own virtual machine. A thread has one script at a
 * time, so that ending it affects no other script; a script that waits for an answer is moved out
 * of its thread when others are queued. Nothing is loaded before the first script or `prepare`.
 */
export class SandboxPool {
  readonly #limits: Limits
  readonly #runs = new Map<number, Run>()
  readonly #threads = new Set<Thread>()
  readonly #queue: Run[] = []
  #engine: Promise<Engine> | undefined
  #count = 0
  #storedBytes = 0
  #watch: NodeJS.Timeout | undefined
  #swap: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(limits: Limits) {
    this.#limits = limits
  }

  async run(script: Script, host: Host, signal: Signal): Promise<ScriptEnd> {
    if (script.source.length > this.#limits.sourceChars)
      return failed({
        code: 'source_limit',
        message: `the source has ${script.source.length} characters, ${this.#limits.sourceChars} are allowed`,
      })
    return this.#begin(script, host, signal)
  }

  /** Continues a script suspended here or elsewhere; its `later` requests are sent again. */
  async resume(suspended: SuspendedRun, host: Host, signal: Signal): Promise<ScriptEnd> {
    return this.#begin(suspended, host, signal)
  }

  /** Starts a thread for the first script, if there is none yet, because starting takes a while. */
  async prepare(): Promise<void> {
    if (this.#threads.size === 0) await this.run(REHEARSAL, SILENT, new Canceller())
  }

  /** Ends running scripts as cancelled. */
  async close(): Promise<void> {
    this.#closed = true
    for (const run of this.#runs.values()) this.#stop(run, { code: 'cancelled', message: '' })
    await this.#endThreads()
  }

  async #begin(script: Script | SuspendedRun, host: Host, signal: Signal): Promise<ScriptEnd> {
    const engine = await this.#load()
    if (signal.aborted || this.#closed) return failed({ code: 'cancelled', message: '' })
    if ('code' in engine) return failed(engine)
    if ('image' in script && !this.#fits(script, engine))
      return failed({
        code: 'script_expired',
        message: 'The gateway was updated while the script waited for its answer',
      })
    return new Promise((done) => {
      const run: Run = new Run(++this.#count, script, { host, signal, done }, (failure) =>
        this.#stop(run, failure),
      )
      this.#runs.set(run.id, run)
      clearTimeout(this.#idle)
      this.#watch ??= setInterval(() => this.#endStuck(), WATCH_MS).unref()
      this.#storedBytes += run.imageBytes
      if (!('image' in script) || run.answers.length > 0) this.#enqueue(run)
      if ('image' in script) for (const ask of script.later) void this.#answer(run, ask)
    })
  }

  #fits({ image: { wasm, snapshot } }: SuspendedRun, engine: Engine): boolean {
    return wasm === engine.id && snapshot.memory.byteLength <= this.#limits.wallBytes
  }

  /** Loads the engine while the first thread starts, which takes longer. */
  async #load(): Promise<Engine | Failure> {
    try {
      if (!this.#engine) {
        this.#engine = loadEngine(this.#limits.wallBytes)
        this.#startThread(this.#engine)
      }
      return await this.#engine
    } catch (error) {
      this.#engine = undefined
      return { code: 'sandbox_failed', message: messageOf(error) }
    }
  }

  #enqueue(run: Run): void {
    run.place = { at: 'queue' }
    this.#queue.push(run)
    this.#schedule()
  }

  #schedule(): void {
    while (this.#engine && this.#queue.length > 0) {
      const free = [...this.#threads].find((each) => each.isReady && each.resident === undefined)
      const next = free && this.#queue.shift()
      if (next) {
        this.#placeOn(free, next)
        continue
      }
      const starting = [...this.#threads].filter((each) => !each.isReady).length
      if (this.#threads.size >= this.#limits.threads || starting >= this.#queue.length) break
      this.#startThread(this.#engine)
    }
    if (this.#queue.length > 0) this.#makeRoom()
  }

  #placeOn(thread: Thread, run: Run): void {
    thread.resident = run.id
    this.#storedBytes -= run.imageBytes
    run.place = { at: 'thread', thread, leaving: false }
    thread.post(run.toMessage())
  }

  /** Moves the script that has waited longest out of its thread, for the first in the queue. */
  #makeRoom(): void {
    if (this.#storedBytes > this.#limits.imageBytes) return
    const idle = [...this.#runs.values()].filter(
      ({ place, idleSince }) => place.at === 'thread' && !place.leaving && idleSince !== undefined,
    )
    const now = performance.now()
    const ripe = idle.find(({ idleSince = now }) => now - idleSince >= SWAP_AFTER_MS)
    if (ripe?.place.at === 'thread') {
      this.#moveOut(ripe, ripe.place)
    } else if (idle.length > 0) {
      this.#swap ??= setTimeout(() => {
        this.#swap = undefined
        this.#schedule()
      }, SWAP_AFTER_MS)
    }
  }

  #startThread(engine: Promise<Engine>): void {
    const thread: Thread = new Thread(engine, this.#limits, {
      message: (message) => this.#receive(message, thread),
      lost: (error) => this.#lost(thread, error),
    })
    this.#threads.add(thread)
  }

  #receive(message: FromThread, thread: Thread): void {
    if (message.kind === 'ready') {
      const { made } = message
      if (made) this.#engine = this.#engine?.then((engine) => ({ ...engine, warm: made }))
      this.#schedule()
      return
    }
    const run = this.#runs.get(message.run)
    if (LETS_GO.has(message.kind)) thread.resident = undefined
    if (run) this.#receiveFrom(run, message)
    this.#schedule()
  }

  #receiveFrom(run: Run, message: FromThread): void {
    if (message.kind === 'asks') this.#receiveAsks(run, message)
    else if (message.kind === 'log') run.host.log(message.text)
    else if (message.kind === 'ended') this.#finish(run, message.ended)
    else if (message.kind === 'swapped') {
      run.store(message.image)
      this.#storedBytes += run.imageBytes
      if (run.later.length > 0) this.#endSuspended(run)
      else if (run.answers.length > 0) this.#enqueue(run)
    }
  }

  #receiveAsks(run: Run, { asks, idle }: Extract<FromThread, { kind: 'asks' }>): void {
    if (idle) run.idleSince = performance.now()
    for (const ask of asks) void this.#answer(run, ask)
  }

  async #answer(run: Run, ask: Ask): Promise<void> {
    const given = await run.host.answer(ask, run)
    if (!this.#runs.has(run.id)) return
    if (given.kind === 'later') {
      run.later.push(ask)
      this.#suspend(run)
      return
    }
    const { answerChars } = this.#limits
    const fits = given.text.length <= answerChars
    const answer: Answer = {
      id: ask.id,
      ...(fits ? given : answerTooLarge(given.text.length, answerChars)),
    }
    if (run.place.at === 'thread' && !run.place.leaving) {
      run.idleSince = undefined
      run.place.thread.post({ kind: 'answer', run: run.id, answer })
      return
    }
    run.answers.push(answer)
    if (run.later.length > 0) this.#endSuspended(run)
    else if (run.place.at === 'store') this.#enqueue(run)
  }

  /** Takes a script off its thread. Its pending calls still finish, and their answers are kept. */
  #suspend(run: Run): void {
    if (run.place.at === 'thread') this.#moveOut(run, run.place)
    else if (run.place.at === 'queue') {
      this.#queue.splice(this.#queue.indexOf(run), 1)
      run.place = { at: 'store' }
    }
    this.#endSuspended(run)
  }

  #endSuspended(run: Run): void {
    const suspended = run.place.at === 'store' ? run.toSuspended() : undefined
    if (!suspended) return
    const { spent, snapshot } = suspended.image
    const threadMs = Math.round(spent.threadMs)
    const memoryBytes = snapshot.memory.byteLength
    this.#finish(run, { outcome: { suspended }, threadMs, memoryBytes })
  }

  #moveOut(run: Run, { thread, leaving }: RunPlace & { at: 'thread' }): void {
    if (leaving) return
    run.place = { at: 'thread', thread, leaving: true }
    thread.post({ kind: 'swap', run: run.id })
  }

  /** Ends a script from outside. Its thread is free again once it reports that it dropped it. */
  #stop(run: Run, failure: Failure): void {
    if (run.place.at === 'thread') run.place.thread.stop(run.id)
    this.#finish(run, failed(failure))
  }

  #finish(run: Run, ended: ScriptEnd): void {
    if (!this.#runs.delete(run.id)) return
    const queued = this.#queue.indexOf(run)
    if (queued !== -1) this.#queue.splice(queued, 1)
    this.#storedBytes -= run.imageBytes
    run.end(ended)
    if (this.#runs.size > 0) return
    this.#idle = setTimeout(() => void this.#endThreads(), IDLE_MS).unref()
  }

  #endStuck(): void {
    const busy = [...this.#threads].filter(({ resident }) => resident !== undefined)
    if (busy.length === 0 && this.#runs.size === 0) {
      clearInterval(this.#watch)
      this.#watch = undefined
    }
    for (const thread of busy) {
      if (!thread.isStuck) continue
      const run = this.#runs.get(thread.resident ?? 0)
      if (run) this.#finish(run, failed({ code: 'thread_limit', message: '' }))
      void thread.end()
    }
  }

  #lost(thread: Thread, error: unknown): void {
    this.#threads.delete(thread)
    const message = messageOf(error)
    const resident = this.#runs.get(thread.resident ?? 0)
    if (resident) this.#finish(resident, failed({ code: 'sandbox_failed', message }))
    if (this.#closed) return
    // A thread that could not start would fail again, so the queued scripts end too.
    if (!thread.isReady)
      for (const run of this.#queue.splice(0))
        this.#finish(run, failed({ code: 'sandbox_failed', message }))
    this.#schedule()
  }

  async #endThreads(): Promise<void> {
    clearInterval(this.#watch)
    this.#watch = undefined
    clearTimeout(this.#idle)
    clearTimeout(this.#swap)
    const threads = [...this.#threads]
    this.#threads.clear()
    await Promise.all(threads.map(async (thread) => thread.end()))
  }
}

function failed(failure: Failure): ScriptEnd {
  return { outcome: { failure }, threadMs: 0, memoryBytes: 0 }
}

function answerTooLarge(chars: number, most: number): Pick<Answer, 'kind' | 'text'> {
  const message = `the answer has ${chars} characters, ${most} are allowed: ask for less, or for a page`
  const data = { code: 'ANSWER_TOO_LARGE' }
  return { kind: 'error', text: JSON.stringify({ name: 'AnswerTooLarge', message, data }) }
}
