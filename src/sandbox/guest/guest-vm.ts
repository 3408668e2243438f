import { randomFillSync } from 'node:crypto'
import { type JSValueHandle, QuickJS } from 'quickjs-wasi'
import { startScript } from './compile-script.ts'
import {
  Stop,
  argumentsTooLarge,
  neverSettles,
  resultTooLong,
  toFailure,
  toThrown,
} from './guest-failure.ts'
import { beginTurn, endTurn, isStopRequested } from '../heartbeat.ts'
import type { Limits } from '../limits.ts'
import {
  type Answer,
  type Ask,
  type ScriptEnd,
  type EngineModule,
  type FailureCode,
  type Image,
  OPERATIONS,
  type Operation,
  type Spent,
  type Tokens,
} from '../messages.ts'
import { unwrapResult } from './unwrap-result.ts'

export interface GuestOptions {
  readonly run: number
  readonly module: EngineModule
  readonly wasm: string
  readonly limits: Limits
  readonly heartbeat: Int32Array
}

/** The buffer is replaced when the memory grows. */
interface EngineMemory {
  readonly buffer: ArrayBuffer
}

/** Called when a script asks for something, logs, or ends. */
export interface GuestListeners {
  /** Called with requests; `idle` if the script has nothing to do until one is answered. */
  asks(asks: readonly Ask[], idle: boolean): void
  log(text: string): void
  ended(ended: ScriptEnd): void
}

/** Low enough for QuickJS to report a deep stack before V8 does, which would break the engine. */
const STACK_BYTES = 256 * 1024
/**
 * The share of the memory limit above which an unclear failure counts as out of memory. WebAssembly
 * memory never shrinks, so its size shows the peak.
 */
const NEARLY_FULL = 0.75
/** The cost of a log line besides its characters, so that empty lines are limited too. */
const LOG_LINE_CHARS = 16
/** Values for `keep` and `select` are data, which may be larger than the arguments of a tool. */
const DATA_OPERATIONS: ReadonlySet<Operation> = new Set(['keep', 'select'])

/** One script in its own virtual machine. An error raised by the sandbox itself ends both. */
export class GuestVm {
  readonly run: number
  readonly #vm: QuickJS
  readonly #memory: EngineMemory
  readonly #options: GuestOptions
  readonly #listeners: GuestListeners
  readonly #tokens: Tokens
  readonly #functions: Record<keyof Tokens, JSValueHandle>
  readonly #spent: Spent
  readonly #refused: Answer[] = []
  /** Requests not sent yet: they are sent at the end of the turn, or earlier if it takes long. */
  #asks: Ask[] = []
  #open: number
  #turnStartedAt = 0
  #stop: FailureCode | undefined
  #outcome: ScriptEnd['outcome'] | undefined

  /** Restores a suspended script, or a fresh machine from the warm image. */
  static async open(
    image: Pick<Image, 'snapshot' | 'tokens'> & Partial<Image>,
    options: GuestOptions,
    listeners: GuestListeners,
  ): Promise<GuestVm> {
    const holder: { guest?: GuestVm; memory: EngineMemory } = {
      memory: { buffer: new ArrayBuffer(0) },
    }
    const check = () => holder.guest?.check()
    const vm = await QuickJS.restore(image.snapshot, {
      wasm: options.module,
      memoryLimit: options.limits.heapBytes,
      maxStackSize: STACK_BYTES,
      timezoneOffset: 0,
      interruptHandler: () => {
        check()
        return false
      },
      wasi: (memory: EngineMemory) => {
        holder.memory = memory
        return {
          // The engine must not print: stdout may carry the protocol.
          fd_write: () => 8,
          clock_time_get(_id: number, _precision: bigint, at: number) {
            check()
            new DataView(memory.buffer).setBigUint64(at, BigInt(Date.now()) * 1_000_000n, true)
            return 0
          },
        }
      },
    })
    return (holder.guest = new GuestVm({ vm, memory: holder.memory }, image, options, listeners))
  }

  private constructor(
    { vm, memory }: { readonly vm: QuickJS; readonly memory: EngineMemory },
    image: Pick<Image, 'tokens'> & Partial<Image>,
    options: GuestOptions,
    listeners: GuestListeners,
  ) {
    this.run = options.run
    this.#vm = vm
    this.#memory = memory
    this.#options = options
    this.#listeners = listeners
    this.#tokens = image.tokens
    this.#spent = { threadMs: 0, calls: 0, logChars: 0, ...image.spent }
    this.#open = image.open ?? 0
    const { settle, watch, input, seed } = image.tokens
    this.#functions = {
      settle: vm.importHandle(settle),
      watch: vm.importHandle(watch),
      input: vm.importHandle(input),
      seed: vm.importHandle(seed),
    }
    vm.registerHostCallback('send', (...values) => {
      this.#receive(values)
      return vm.undefined
    })
  }

  get ended(): boolean {
    return this.#outcome !== undefined
  }

  start(source: string, input: string | undefined): void {
    this.#enter(() => {
      const seeds = randomFillSync(new Int32Array(4))
      this.#call('seed', ...Array.from(seeds, (seed) => this.#vm.newNumber(seed)))
      if (input !== undefined) {
        const wide = isWide(input) ? this.#vm.true : this.#vm.false
        this.#call('input', this.#text(input), wide)
      }
      const { promise, wrapped } = startScript(this.#vm, source)
      const longest = this.#vm.newNumber(this.#options.limits.resultChars)
      this.#call('watch', promise, wrapped ? this.#vm.true : this.#vm.false, longest)
    })
  }

  answer(answers: readonly Answer[]): void {
    this.#enter(() => {
      for (const answer of answers) {
        this.#settle(answer)
        this.#vm.executePendingJobs()
      }
    })
  }

  /** Returns the whole script, which may continue in any other machine of the same module. */
  toImage(): Image {
    return {
      wasm: this.#options.wasm,
      snapshot: this.#vm.snapshot(),
      tokens: this.#tokens,
      spent: this.#spent,
      open: this.#open,
    }
  }

  dispose(): void {
    this.#vm.dispose()
  }

  /** Called by the engine every few thousand steps, and whenever it reads the clock. */
  check(): void {
    if (this.#stop !== undefined) throw new Stop(this.#stop)
    if (isStopRequested(this.#options.heartbeat, this.run)) throw new Stop('cancelled')
    if (this.#threadMs() > this.#options.limits.threadMs) throw new Stop('thread_limit')
    if (this.#asks.length > 0) this.#sendAsks(false)
  }

  /** The only way into the engine. */
  #enter(work: () => void): void {
    if (this.#outcome) return
    const { heartbeat, limits } = this.#options
    this.#turnStartedAt = performance.now()
    beginTurn(heartbeat, this.run, limits.threadMs - this.#spent.threadMs)
    try {
      work()
      this.#vm.executePendingJobs()
      this.#answerRefused()
      if (this.#stop !== undefined) throw new Stop(this.#stop)
    } catch (error) {
      this.#end({ failure: toFailure(error, this.#isNearlyFull()) })
    } finally {
      endTurn(heartbeat)
      this.#spent.threadMs = this.#threadMs()
      this.#turnStartedAt = 0
    }
    // Nothing runs, no request is open, and there is no result.
    if (this.#open === 0) this.#end({ failure: neverSettles(this.#isNearlyFull()) })
    if (!this.#outcome || this.#asks.length > 0) this.#sendAsks(!this.#outcome)
    if (!this.#outcome) return
    const threadMs = Math.round(this.#spent.threadMs)
    this.#listeners.ended({ outcome: this.#outcome, threadMs, memoryBytes: this.#memoryBytes() })
  }

  /** Answers requests that were refused here, without asking the host. */
  #answerRefused(): void {
    for (let answer = this.#refused.shift(); answer; answer = this.#refused.shift()) {
      this.#settle(answer)
      this.#vm.executePendingJobs()
    }
  }

  #settle({ id, kind, text }: Answer): void {
    const json = kind === 'result' ? unwrapResult(text) : text
    this.#open--
    this.#call('settle', this.#vm.newNumber(toCode(id, kind, json)), this.#text(json))
  }

  /** Must not throw: the script could catch the error and read host paths in its stack. */
  #receive([head, body]: JSValueHandle[]): void {
    const what = head?.toString() ?? ''
    const content = body?.toString() ?? ''
    if (what.startsWith('ask ')) this.#ask(what, content)
    else if (what === 'log') this.#log(content)
    else if (what === 'done') this.#end({ json: content })
    else if (what === 'too-long')
      this.#end({ failure: resultTooLong(content, this.#options.limits) })
    else this.#end({ failure: toThrown(content, this.#isNearlyFull()) })
  }

  /** `head` is `ask <id> <operation> <names>`. */
  #ask(head: string, json: string): void {
    const { limits } = this.#options
    if (this.#outcome) return
    const [, number, name] = head.split(' ', 3)
    const id = Number(number)
    const names = head.slice(`ask ${number} ${name} `.length)
    if (++this.#spent.calls > limits.calls) {
      this.#stop = 'call_limit'
      return
    }
    const operation = OPERATIONS.find((each) => each === name)
    if (operation === undefined) return
    this.#open++
    const most = DATA_OPERATIONS.has(operation) ? limits.answerChars : limits.argumentChars
    const chars = names.length + json.length
    if (chars <= most) this.#asks.push({ id, operation, names, json })
    else this.#refused.push({ id, kind: 'error', text: argumentsTooLarge(chars, most) })
  }

  #sendAsks(idle: boolean): void {
    const asks = this.#asks
    this.#asks = []
    this.#listeners.asks(asks, idle)
  }

  #log(text: string): void {
    const { limits } = this.#options
    const before = this.#spent.logChars
    if (before > limits.logChars) return
    this.#spent.logChars = before + text.length + LOG_LINE_CHARS
    const isLast = this.#spent.logChars > limits.logChars
    this.#listeners.log(isLast ? `… more than ${limits.logChars} characters of log` : text)
  }

  /** Sets the outcome, of which the first counts, and stops the rest of the script. */
  #end(outcome: ScriptEnd['outcome']): void {
    this.#outcome ??= outcome
    this.#stop ??= 'cancelled'
  }

  #isNearlyFull(): boolean {
    return this.#memoryBytes() > this.#options.limits.heapBytes * NEARLY_FULL
  }

  #memoryBytes(): number {
    return this.#memory.buffer.byteLength
  }

  #threadMs(): number {
    const turnMs = this.#turnStartedAt === 0 ? 0 : performance.now() - this.#turnStartedAt
    return this.#spent.threadMs + turnMs
  }

  /** Disposes the handles it is given. After an error nothing is freed: the machine is dropped. */
  #call(name: keyof Tokens, ...args: JSValueHandle[]): void {
    const result = this.#vm.callFunction(this.#functions[name], this.#vm.undefined, ...args)
    for (const handle of [result, ...args]) handle.dispose()
  }

  #text(text: string): JSValueHandle {
    const handle = this.#vm.newString(text)
    if (!handle.isString) throw new Stop('memory_limit')
    return handle
  }
}

const HOW = { value: 0, result: 0, error: 2, planned: 3 } as const

/** Encodes a request id and an answer's kind as one number; 1 is a value with long numbers. */
function toCode(id: number, kind: Answer['kind'], json: string): number {
  return id * 4 + (HOW[kind] === 0 && isWide(json) ? 1 : HOW[kind])
}

/** Whether a number in a JSON text may be too long for a double. */
function isWide(json: string): boolean {
  return /\d{16}/.test(json)
}
