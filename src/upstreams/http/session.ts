import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { untilAborted, withTimeout } from '../../base/flow/time.ts'
import { Canceller, type Signal, onAbort } from '../../base/flow/signal.ts'
import { TransportError } from '../failures.ts'
import type { Link } from '../link.ts'

/** How a server answered a request that was sent in a session. */
export interface Answer {
  readonly status: number
  /** The code of a JSON-RPC error with the id of this very request, which was then received. */
  readonly code?: number | undefined
}

type Verdict = 'known' | 'doubtful' | 'gone'

/**
 * Says what an answer means for the session. Words of an answer do not count, because a tool may
 * have sessions of its own.
 *
 * | answer to a POST                                  | session  | a tool call, if the session is gone |
 * | ------------------------------------------------- | -------- | ----------------------------------- |
 * | 404, 410                                          | gone     | was refused: sent again             |
 * | 404, 410 with a JSON-RPC error to this request    | doubtful | was refused: sent again             |
 * | 400, 401                                          | doubtful | was refused: sent again             |
 * | 500, 503                                          | doubtful | may have run: fails                 |
 * | any other status with a JSON-RPC error to this    | doubtful | was received: fails                 |
 * | request, of a code that servers choose themselves |          |                                     |
 * | anything else                                     | known    |                                     |
 *
 * The stream outside of calls (GET) proves nothing: a server need not have one, and says so with
 * 404, 405 or 400. If it had one and now refuses it, the session is doubtful.
 *
 * `Session` settles a doubt: the session is gone if `ping` is refused in it and answered in a new one,
 * or if the server does not speak a version with sessions any more.
 */
function judge({ status, code }: Answer): Verdict {
  if (isUnknown(status)) return code === undefined ? 'gone' : 'doubtful'
  if (code !== undefined) return isOfServer(code) ? 'doubtful' : 'known'
  return DOUBTFUL.has(status) ? 'doubtful' : 'known'
}

/** Whether a request in a session that is gone was refused before the server acted on it. */
export function wasRefused({ status, code }: Answer): boolean {
  return isUnknown(status) || (code === undefined && (status === 400 || status === 401))
}

function isUnknown(status: number): boolean {
  return status === 404 || status === 410
}

/** Not 502 and 504: a proxy says with them that it has not reached the server. */
const DOUBTFUL = new Set([400, 401, 500, 503])

/** Codes of the range for servers to which MCP gives a meaning: no such resource, open a URL. */
const MEANT = new Set([-32002, -32042])

/** Whether a code has no fixed meaning, so that a server may use it for a session. */
function isOfServer(code: number): boolean {
  if (code === RPC.invalidRequest || code === RPC.internalError) return true
  return code >= -32099 && code <= -32000 && !MEANT.has(code)
}

/** An answer that leaves it open whether the session lives; the cause is the error for the caller. */
export class DoubtfulAnswer extends Error {
  readonly answer: Answer
  override readonly cause: Error

  constructor(answer: Answer, cause: Error) {
    super(cause.message)
    this.answer = answer
    this.cause = cause
  }
}

/** Returns the error for a failed request: a doubtful one if its session may be gone. */
export function doubted(answer: Answer, error: Error): Error {
  return judge(answer) === 'known' ? error : new DoubtfulAnswer(answer, error)
}

/** A connection that can be asked whether its session lives. */
export interface PingLink extends Link {
  /** A request that changes nothing, sent once; throws a `DoubtfulAnswer` where that is the answer. */
  ping(signal: Signal): Promise<unknown>
}

export interface SessionParts {
  readonly ping: PingLink['ping']
  /** Opens another session. */
  openOther(signal: Signal): Promise<PingLink>
  /** Called once, when the session is gone, with the session that has shown it, if any. */
  lost(successor?: Link): void
  readonly closing: Signal
}

const MAX_PROOF_MS = 10_000
/** The pause between attempts to settle a doubt; it doubles with each in a row that shows nothing. */
const MIN_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** A session of a remote server: open until it is shown to be gone. */
export class Session {
  readonly #parts: SessionParts
  #isGone = false
  #proof: Promise<boolean> | undefined
  #failures = 0
  #nextProofAt = 0

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Whether the session is gone, after an answer that was given in it. */
  async isGoneAfter(answer: Answer, signal?: Signal): Promise<boolean> {
    const verdict = judge(answer)
    if (verdict === 'gone') this.#end()
    if (this.#isGone || verdict === 'known') return this.#isGone
    return this.isProvenGone(signal)
  }

  /** Settles a doubt, once for all who have it; a doubt soon after another proof is not settled. */
  async isProvenGone(signal?: Signal): Promise<boolean> {
    if (this.#isGone) return true
    if (!this.#proof && performance.now() < this.#nextProofAt) return false
    this.#proof ??= this.#prove().finally(() => (this.#proof = undefined))
    return signal ? untilAborted(this.#proof, signal) : this.#proof
  }

  #end(successor?: Link): void {
    if (this.#isGone) return void successor?.close()
    this.#isGone = true
    this.#parts.lost(successor)
  }

  async #prove(): Promise<boolean> {
    const canceller = new Canceller()
    const { closing } = this.#parts
    const release = onAbort(closing, () => canceller.abort(closing.reason))
    const isShown = await withTimeout(this.#compare(canceller), MAX_PROOF_MS, () => {
      canceller.abort(new TransportError('it did not answer in time'))
      return false
    }).finally(release)
    this.#failures = isShown ? 0 : this.#failures + 1
    const pauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.max(0, this.#failures - 1))
    this.#nextProofAt = performance.now() + pauseMs * (0.75 + Math.random() / 2)
    return this.#isGone
  }

  /**
   * Returns whether the server has shown if the session lives. The new session shows that it answers
   * `ping` at all, and that it is not down. It is the next one then: some servers open only one.
   */
  async #compare(signal: Signal): Promise<boolean> {
    const here = await replyTo(async () => this.#parts.ping(signal))
    if (here !== 'refused') return here === 'answered'
    const other = await this.#parts.openOther(signal).catch((error: unknown) => {
      // It has become a server of the modern era, which has no sessions.
      if (error instanceof RpcError && error.code === RPC.unsupportedVersion) this.#end()
    })
    if (!other) return this.#isGone
    const there = await replyTo(async () => other.ping(signal))
    if (there === 'answered' && !signal.aborted) {
      this.#end(other)
      return true
    }
    await other.close()
    return false
  }
}

async function replyTo(ping: () => Promise<unknown>): Promise<'answered' | 'refused' | 'none'> {
  try {
    await ping()
    return 'answered'
  } catch (error) {
    if (error instanceof DoubtfulAnswer) return 'refused'
    // For example that it does not know the method.
    const isAnswer =
      error instanceof RpcError && judge({ status: 200, code: error.code }) === 'known'
    return isAnswer ? 'answered' : 'none'
  }
}
