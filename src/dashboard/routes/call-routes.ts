import { z } from 'zod'
import type { CallEvent } from '../../gateway/call.ts'
import { HttpError } from '../../http/http-error.ts'
import type { World } from '../../surfaces/world.ts'
import type { CapturedCall } from '../../telemetry/capture.ts'
import type { KeptCall } from '../contract/calls.ts'
import type { OutputLine } from '../contract/servers.ts'
import { describeOutput } from '../views/describe-server.ts'
import { limit } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import { isTraffic } from '../../telemetry/ledger.ts'
import type { Sources } from '../sources.ts'
import { toLiveCall } from '../views/to-call.ts'

type CallSources = Pick<Sources, 'feed' | 'capture' | 'world' | 'secrets' | 'ledger'>

export function callRoutes(sources: CallSources): Route[] {
  const { feed, capture } = sources
  const query = z.object({ limit: limit(500, 100) })
  return [
    defineRoute('GET /calls', {
      role: 'viewer',
      query,
      answer: ({ query: { limit: most = 100 } }) => ({
        calls: feed.recent().filter(isTraffic).slice(-most).toReversed().map(toLiveCall),
      }),
    }),
    defineRoute('GET /call/:id', {
      role: 'viewer',
      answer({ params: { id = '' }, visitor }) {
        const event = feed.recent().findLast((one) => one.id === id)
        if (!event) throw noCall()
        return {
          call: toLiveCall(event),
          kept:
            visitor.role === 'admin' && visitor.mayChange
              ? describeKept(capture.find(id), sources.secrets)
              : null,
          output: outputAround(event, sources.world),
        }
      },
    }),
    defineRoute('GET /capture', { role: 'viewer', answer: () => capture.status }),
    defineRoute('POST /capture', {
      role: 'admin',
      body: z.object({ on: z.boolean() }),
      answer({ visitor, body: { on } }) {
        capture.turn(on === true)
        recordChange(sources, visitor, on === true ? 'capture.start' : 'capture.stop', {})
        return capture.status
      },
    }),
  ]
}

/** Hides secrets in the texts themselves, before they are escaped once more in the JSON answer. */
function describeKept(
  captured: CapturedCall | undefined,
  secrets: Sources['secrets'],
): KeptCall | null {
  if (!captured) return null
  const { arguments: args, result, isCut } = captured
  return {
    arguments: args === undefined ? null : secrets.hide(args),
    result: result === undefined ? null : secrets.hide(result),
    isCut,
  }
}

/** A server may write about a call a moment later. */
const AROUND_MS = 2_000

function outputAround(
  { server, startedAt, durationMs = 0 }: Readonly<CallEvent>,
  { catalog }: World,
): OutputLine[] {
  const { output } = describeOutput(server === undefined ? undefined : catalog.server(server))
  const until = startedAt + durationMs + AROUND_MS
  return output.filter(({ at }) => {
    const atMs = Date.parse(at)
    return atMs >= startedAt - AROUND_MS && atMs <= until
  })
}

function noCall(): HttpError {
  return new HttpError(
    404,
    'CALL_NOT_FOUND',
    'This call is no longer in memory',
    'Older calls are on the audit page.',
  )
}
