import { signal } from '@preact/signals'
import type { AccessChange } from '../../../../src/dashboard/contract/agents.ts'

/** A server, or one of its tools, for an agent. */
export type Place = Pick<AccessChange, 'agent' | 'server' | 'tool'>

/** The changes of the rules that the reader has chosen and not applied yet. */
export const draft = signal<readonly AccessChange[]>([])

/** Adds a change, in place of an earlier one of the same server or tool. */
export function choose(change: AccessChange): void {
  draft.value = [...draft.value.filter((each) => !isSamePlace(each, change)), change]
}

export function withdraw(change: AccessChange): void {
  draft.value = draft.value.filter((each) => each !== change)
}

export function chosen(place: Place): AccessChange | undefined {
  return draft.value.find((each) => isSamePlace(each, place))
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.agent === other.agent && one.server === other.server && one.tool === other.tool
}
