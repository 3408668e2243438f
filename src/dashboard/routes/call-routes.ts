import { z } from 'zod'
import { HttpError } from '../../http/http-error.ts'
import type { World } from '../../surfaces/world.ts'
import type { CapturedCall } from '../../telemetry/capture.ts'
import type { Call, KeptCall } from '../contract/calls.ts'
import type { OutputLine } from '../contract/servers.ts'
import { describeOutput } from '../views/describe-server.ts'
import { limit, maybe } from '../inputs.ts'
import { newestCalls } from '../live-calls.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import { findCall, findNeighbours } from '../views/run-tree.ts'
import { toLiveCall } from '../views/to-call.ts'

type CallSources = Pick<
  Sources,
  'feed' | 'capture' | 'folders' | 'secrets' | 'ledger' | 'auditSearch'
>

export function callRoutes(sources: CallSources): Route[] {
  const { feed, capture } = sources
  const query = z.object({ limit: limit(500, 100) })
  return [
    defineRoute('GET /calls', {
      role: 'viewer',
      query,
      answer: async ({ query: { limit: most = 100 } }) => ({
        calls: await newestCalls(sources, most),
      }),
    }),
    defineRoute('GET /call/:id', {
      role: 'viewer',
      query: z.object({ at: maybe }),
      async answer({ params: { id = '' }, query: { at }, visitor }) {
        const event = feed.recent().findLast((one) => one.id === id)
        const endedAt = Date.parse(at ?? '')
        const within = Number.isNaN(endedAt) ? {} : { since: endedAt - 1, until: endedAt + 1 }
        const call = event ? toLiveCall(event) : await findCall(sources.auditSearch, id, within)
        if (!call) throw noCall()
        return {
          call,
          ...(await findNeighbours(sources.auditSearch, call)),
          kept:
            visitor.role === 'admin' && visitor.mayChange
              ? describeKept(capture.find(id), sources.secrets)
              : null,
          output: sources.folders().flatMap(({ world }) => outputAround(call, world)),
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

function outputAround({ server, at: ended, durationMs }: Call, { catalog }: World): OutputLine[] {
  const { output } = describeOutput(server === null ? undefined : catalog.server(server))
  const until = Date.parse(ended) + AROUND_MS
  const startedAt = Date.parse(ended) - durationMs
  return output.filter(({ at }) => {
    const atMs = Date.parse(at)
    return atMs >= startedAt - AROUND_MS && atMs <= until
  })
}

function noCall(): HttpError {
  return new HttpError(
    404,
    'CALL_NOT_FOUND',
    'This call is not in the record',
    'Older entries are removed as newer ones come: see `audit.maxFiles`, or `database.auditDays`.',
  )
}
