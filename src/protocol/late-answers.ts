import type { Signal } from '../base/flow/signal.ts'

/** How long the answer to a cancelled request is waited for: a server need not send one. */
export const LATE_ANSWER_MS = 5_000

const late = new WeakMap<Signal, Promise<void>>()

/**
 * A request that `signal` cancelled was sent before, and its server may still work on it until `ended`.
 * This travels beside the signal, as the text of a result travels beside the result: only a layer that
 * counts what a server does needs to know.
 */
export function rememberLate(signal: Signal, ended: Promise<void>): void {
  late.set(signal, ended)
}

/** Resolves when the server has answered the cancelled request after all, has gone, or has had long enough. */
export function lateAnswerTo(signal: Signal): Promise<void> | undefined {
  return late.get(signal)
}
