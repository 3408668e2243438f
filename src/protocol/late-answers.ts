import type { Signal } from '../base/flow/signal.ts'

/** How long to wait for the answer to a cancelled request, which a server need not send. */
export const LATE_ANSWER_MS = 5_000

const late = new WeakMap<Signal, Promise<void>>()

/**
 * Records that the server may still work, until `ended`, on a request that was sent before `signal`
 * cancelled it. Stored beside the signal, because only a layer that counts a server's work needs
 * it.
 */
export function rememberLate(signal: Signal, ended: Promise<void>): void {
  late.set(signal, ended)
}

/** Resolves when the server has answered the cancelled request, has gone, or was too slow. */
export function lateAnswerTo(signal: Signal): Promise<void> | undefined {
  return late.get(signal)
}
