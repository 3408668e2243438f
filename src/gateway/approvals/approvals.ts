import type { Signal } from '../../base/flow/signal.ts'
import type { Soon } from '../../base/flow/soon.ts'
import { GatewayError } from '../errors.ts'
import type { Answer, Answerer, Approval, Bond, Question } from './approval.ts'
import { type ApproverRules, whyNotAnswer } from './who-may-answer.ts'

/** Where approvals are, for all processes that serve the same people. */
export interface ApprovalStore {
  /**
   * Returns what is known about a call: an approval, which is used up if it is for one call; a
   * denial; or the question that waits. Exactly one caller gets an approval for one call.
   */
  claim(bond: Bond, callId: string): Promise<Approval | undefined>
  /** Stores a question, unless one waits for the same call already; returns the one that waits. */
  ask(
    bond: Bond,
    question: Question,
    expiresAt: number,
  ): Promise<{ readonly approval: Approval; readonly isNew: boolean }>
  /** Answers a question; undefined if it does not wait any more. */
  answer(id: string, answer: Answer, by: Answerer): Promise<Approval | undefined>
  find(id: string): Promise<Approval | undefined>
  /** The newest first, waiting ones before all others. */
  list(): Promise<Approval[]>
  /** Marks questions that nobody has answered; returns those that it marked. */
  expire(): Promise<Approval[]>
}

/** Called with what has happened to a question, for audit and metrics. */
export type ApprovalListener = (
  what: 'asked' | 'answered' | 'used' | 'expired',
  approval: Approval,
) => Promise<void>

export interface ApprovalOptions extends ApproverRules {
  /** How long a question waits for an answer, and an answer for its call. */
  readonly expireMs: number
  /** How long a call waits whose client can neither be asked nor told later. */
  readonly waitMs: number
}

/** Other processes answer as well, so that a waiting call looks into the store. */
const LOOK_EVERY_MS = 400

/** The questions of all calls, and their answers. State is in the store alone. */
export class Approvals {
  readonly #open: () => Soon<ApprovalStore>
  readonly #options: () => ApprovalOptions
  readonly #listener: ApprovalListener
  readonly #waking = new Set<() => void>()

  constructor(
    open: () => Soon<ApprovalStore>,
    options: () => ApprovalOptions,
    listener: ApprovalListener,
  ) {
    this.#open = open
    this.#options = options
    this.#listener = listener
  }

  get options(): ApprovalOptions {
    return this.#options()
  }

  /** Returns the approval of a call, which it has used up if it is for one call, or the question. */
  async claim(bond: Bond, callId: string, toQuestion: () => Promise<Question>): Promise<Approval> {
    const store = await this.#store()
    const known = await store.claim(bond, callId)
    if (known) {
      if (known.usedBy === callId) await this.#listener('used', known)
      return known
    }
    const question = await toQuestion()
    const { approval, isNew } = await store.ask(bond, question, Date.now() + this.options.expireMs)
    if (isNew) await this.#listener('asked', approval)
    return approval
  }

  async find(id: string): Promise<Approval | undefined> {
    return (await this.#store()).find(id)
  }

  /** Resolves when a question has been answered or has expired, or when `ms` are over. */
  async answered(id: string, ms: number, signal: Signal): Promise<boolean> {
    const until = Date.now() + ms
    const store = await this.#store()
    for (;;) {
      // oxlint-disable no-await-in-loop -- One look after the other.
      await this.#expire(store)
      const found = await store.find(id)
      if (found?.state !== 'pending') return true
      const left = until - Date.now()
      if (left <= 0 || signal.aborted) return false
      await this.#pause(Math.min(left, LOOK_EVERY_MS), signal)
      // oxlint-enable no-await-in-loop
    }
  }

  /** Answers a question; throws if it does not wait, or if this is not for them to answer. */
  async answer(id: string, answer: Answer, by: Answerer): Promise<Approval> {
    const store = await this.#store()
    await this.#expire(store)
    const asked = await store.find(id)
    if (!asked)
      throw new GatewayError('INVALID_PARAMS', `There is no approval '${id}'`, { hint: LIST })
    const why = whyNotAnswer(asked.question, by, this.options)
    if (why !== undefined)
      throw new GatewayError('DENIED_BY_POLICY', `You cannot answer '${id}': ${why}`)
    const answered = asked.state === 'pending' ? await store.answer(id, answer, by) : undefined
    if (!answered) {
      const now = (await store.find(id)) ?? asked
      const whose = now.answeredBy === undefined ? '' : ` by ${now.answeredBy} (${now.via})`
      throw new GatewayError('INVALID_PARAMS', `'${id}' was ${STATES[now.state]} already${whose}`, {
        hint: LIST,
      })
    }
    await this.#listener('answered', answered)
    for (const wake of this.#waking) wake()
    if (answer.approve && answer.scope === 'always') await answer.change.apply(by.name)
    return answered
  }

  async list(): Promise<Approval[]> {
    const store = await this.#store()
    await this.#expire(store)
    return store.list()
  }

  async #store(): Promise<ApprovalStore> {
    return this.#open()
  }

  async #expire(store: ApprovalStore): Promise<void> {
    for (const each of await store.expire()) await this.#listener('expired', each)
  }

  async #pause(ms: number, signal: Signal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waking.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#waking.add(done)
      signal.addEventListener('abort', done)
    })
  }
}

const LIST = '`portolan approvals list` shows what waits.'
const STATES = {
  pending: 'asked',
  approved: 'approved',
  denied: 'denied',
  used: 'approved and used',
  expired: 'left without an answer and denied',
} as const
