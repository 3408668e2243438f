import { Canceller, type Signal } from '../base/flow/signal.ts'
import type { Answer, Ask, ScriptEnd, Failure, Image, SuspendedRun, ToThread } from './messages.ts'
import type { Thread } from './thread.ts'

/** The source, input and time limit of a script. */
export interface Script {
  readonly source: string
  /** JSON text of the global `input`. */
  readonly input: string | undefined
  readonly wallMs: number
}

/** What the host of a script may do with it. */
export interface RunControls {
  /** Aborts when the script ends for any reason. */
  readonly signal: Signal
  /** Stops the script's clock while a person is asked. */
  readonly pauseClock: () => void
  readonly resumeClock: () => void
}

/** An answer, or `later` if a person must be asked first. */
export type Reply = Pick<Answer, 'kind' | 'text'> | { readonly kind: 'later' }

/** Answers the requests of a script. */
export interface Host {
  /** `later` suspends the script: it ends here, with all that is needed to continue elsewhere. */
  answer(ask: Ask, controls: RunControls): Promise<Reply>
  log(text: string): void
}

/** Where a script is: queued for a thread, on a thread, or stored until it is answered. */
export type RunPlace =
  | { readonly at: 'queue' }
  | { readonly at: 'thread'; readonly thread: Thread; readonly leaving: boolean }
  | { readonly at: 'store' }

/** A script from its start to its end. */
export class Run implements RunControls {
  readonly id: number
  readonly host: Host
  place: RunPlace = { at: 'queue' }
  /** When it became idle, if it is on a thread. */
  idleSince: number | undefined
  /** Answers that arrived while it was not on a thread. */
  readonly answers: Answer[] = []
  /** Requests that were answered with `later`: after the first, the script no longer runs. */
  readonly later: Ask[] = []
  readonly #script: Script | undefined
  readonly #canceller = new Canceller()
  readonly #done: (ended: ScriptEnd) => void
  readonly #outer: Signal
  readonly #cancelled: () => void
  #image: Image | undefined
  #timer: NodeJS.Timeout | undefined
  #timerStartedAt = 0
  #leftMs: number

  constructor(
    id: number,
    begin: Script | SuspendedRun,
    { host, signal, done }: { host: Host; signal: Signal; done: (ended: ScriptEnd) => void },
    stop: (failure: Failure) => void,
  ) {
    this.id = id
    this.host = host
    if ('image' in begin) {
      this.answers.push(...begin.answers)
      this.#leftMs = begin.leftMs
      this.store(begin.image)
    } else {
      this.#script = begin
      this.#leftMs = begin.wallMs
    }
    this.#done = done
    this.#outer = signal
    this.#stop = stop
    this.#cancelled = () => stop({ code: 'cancelled', message: '' })
    signal.addEventListener('abort', this.#cancelled, { once: true })
    this.resumeClock()
  }

  readonly #stop: (failure: Failure) => void

  get signal(): Signal {
    return this.#canceller
  }

  get imageBytes(): number {
    return this.#image?.snapshot.memory.byteLength ?? 0
  }

  /** The message that starts the script in a thread, or continues it with the answers it has. */
  toMessage(): ToThread {
    const { id: run } = this
    const image = this.#image
    if (!image) {
      const { source = '', input } = this.#script ?? {}
      return { kind: 'start', run, source, input }
    }
    this.#image = undefined
    return { kind: 'restore', run, image, answers: this.answers.splice(0) }
  }

  /** Returns the suspended script once all requests are answered or put off, else undefined. */
  toSuspended(): SuspendedRun | undefined {
    const image = this.#image
    if (!image || this.answers.length + this.later.length < image.open) return undefined
    this.pauseClock()
    return {
      image,
      answers: [...this.answers],
      later: [...this.later],
      leftMs: Math.max(1, Math.round(this.#leftMs)),
    }
  }

  store(image: Image): void {
    this.#image = image
    this.place = { at: 'store' }
    this.idleSince = undefined
  }

  readonly pauseClock = (): void => {
    clearTimeout(this.#timer)
    this.#leftMs -= performance.now() - this.#timerStartedAt
  }

  readonly resumeClock = (): void => {
    if (this.#canceller.aborted) return
    this.#timerStartedAt = performance.now()
    this.#timer = setTimeout(
      () => this.#stop({ code: 'wall_limit', message: '' }),
      Math.max(1, this.#leftMs),
    )
  }

  end(ended: ScriptEnd): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener('abort', this.#cancelled)
    this.#canceller.abort(new Error('The script has ended'))
    this.#done(ended)
  }
}
