import { effect, signal } from '@preact/signals'
import type { Call, LiveEvents } from '../../../src/dashboard/contract/calls.ts'
import { BASE, signedOut } from './ask.ts'
import { toast } from '../ui/notice/toasts.tsx'
import { me } from './me.ts'

const KEPT = 2_000
const FIRST = 200

/** The newest calls, newest first. */
export const liveCalls = signal<readonly Call[]>([])

/** How many calls arrived since the page was opened, shown or not. */
export const liveCount = signal(0)

export const skippedCalls = signal(0)

export const liveState = signal<'connecting' | 'open' | 'lost'>('connecting')

let source: EventSource | undefined
let greeted = false

function receive(event: MessageEvent<string>): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { calls, skipped } = JSON.parse(event.data) as LiveEvents['calls']
  const known = new Set(liveCalls.value.slice(0, FIRST).map(({ id }) => id))
  const fresh = calls.filter(({ id }) => !known.has(id))
  liveCalls.value = [...fresh, ...liveCalls.value].slice(0, KEPT)
  skippedCalls.value += skipped
  if (greeted) liveCount.value += fresh.length + skipped
  greeted = true
}

function receiveReload(event: MessageEvent<string>): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { outcome, changes, problems } = JSON.parse(event.data) as LiveEvents['reload']
  if (problems.length > 0) toast(`Reload ${outcome}: ${problems[0] ?? ''}`, 'bad')
  else if (outcome === 'applied') toast(`Configuration reloaded: ${changes.join(', ')}`, 'ok')
}

function open(): void {
  source = new EventSource(`${BASE}/calls/stream?limit=${FIRST}`)
  source.addEventListener('open', () => {
    liveState.value = 'open'
  })
  source.addEventListener('error', () => {
    liveState.value = 'lost'
    // The browser reconnects by itself, except when refused: then a new EventSource is needed.
    if (source?.readyState === EventSource.CLOSED) setTimeout(reopen, 3_000)
  })
  source.addEventListener('calls', receive)
  source.addEventListener('reload', receiveReload)
}

function reopen(): void {
  source?.close()
  source = undefined
  if (!signedOut.peek()) open()
}

/** Keeps one stream for all pages open while a viewer or admin is signed in. */
export function followCalls(): void {
  effect(() => {
    const wanted = me.value !== undefined && me.value.role !== 'agent' && !signedOut.value
    if (wanted && source === undefined) open()
    if (!wanted) {
      source?.close()
      source = undefined
      greeted = false
      liveCalls.value = []
    }
  })
}
