import { type SlotLimits, createSlots } from '../../src/gateway/state/slots.ts'

const never = new AbortController().signal

/** Slots that record their callers; `take` returns whether one was free. */
export function someSlots(limits: SlotLimits) {
  const slots = createSlots()
  const admitted: string[] = []
  return {
    slots,
    admitted,
    take: (agent: string, signal: AbortSignal = never, latest = limits) => {
      const turn = slots.enter(agent, signal, latest)
      void turn?.then(
        () => admitted.push(agent),
        () => undefined,
      )
      return turn === undefined
    },
  }
}
