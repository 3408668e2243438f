import type { IncomingMessage } from 'node:http'
import { messageOf } from '../base/errors.ts'
import { Canceller } from '../base/flow/signal.ts'
import { parseExact, stringifyExact } from '../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { beginningOf } from '../base/text/detached.ts'
import type { CallEvent, CallResult } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import { HttpError, toHttpFailure } from '../http/http-error.ts'
import { rawText } from '../protocol/raw-text.ts'
import { toInbound } from '../surfaces/inbound.ts'
import type { ToolRun, ToolRunAnswer, ToolRunError } from './contract/run.ts'
import { pageClient } from './page-client.ts'
import { authorOf } from './routes/history-routes.ts'
import type { FolderSources, Sources } from './sources.ts'
import { type Visitor, asAgent } from './access/visitor.ts'

/** A browser has to show it. */
const MAX_RESULT_CHARS = 8 << 20
const CLIENT = 'dashboard'

export interface RunPlace {
  readonly sources: Sources
  readonly folder: Pick<FolderSources, 'world'>
  readonly visitor: Visitor
  /** Cancels the call when it closes before the end. */
  readonly socket: IncomingMessage['socket']
}

/** Calls a tool for a person on a page, through the whole chain, with the rights of an agent. */
export async function runTool(run: ToolRun, place: RunPlace): Promise<ToolRunAnswer> {
  const { sources, folder, visitor, socket } = place
  const { server, tool } = run
  const author = authorOf(visitor)
  const signal = new Canceller()
  const cancel = () => signal.abort(new GatewayError('CANCELLED', 'The page was closed'))
  const inbound = toInbound(
    {
      method: 'tools/call',
      params: { name: tool, arguments: readArguments(run.arguments) },
      caller: asAgent(visitor, run.agent),
      client: pageClient(sources, { session: `${CLIENT} ${author}`, name: CLIENT }),
      signal,
    },
    'tools/call',
    { kind: 'tool', server, tool },
    // A person expects the current state, not a cached result, and has no budget of tokens.
    { options: { noCache: true, whole: true } },
  )
  const { event } = inbound
  // The chain adds the people that it knows; of this session only the pages know the person.
  if (visitor.via === 'local') event.user = author
  socket.once('close', cancel)
  try {
    return answerOf(event, await folder.world.gateway.call(inbound), sources)
  } catch (error) {
    // What the chain has not recorded is no end of a call.
    if (event.outcome === undefined) throw error
    return { ...answerOf(event, undefined, sources), error: describeError(error) }
  } finally {
    socket.off('close', cancel)
  }
}

function readArguments(text: string): JsonObject {
  let value: unknown
  try {
    value = parseExact(text.trim() === '' ? '{}' : text)
  } catch (error) {
    throw noObject(messageOf(error))
  }
  if (isObject(value)) return value
  throw noObject(`they are ${Array.isArray(value) ? 'a list' : JSON.stringify(value)}`)
}

function noObject(why: string): HttpError {
  return new HttpError(400, 'INVALID_PARAMS', `The arguments are no JSON object: ${why}`)
}

function answerOf(
  event: CallEvent,
  result: CallResult | undefined,
  { secrets }: Pick<Sources, 'secrets'>,
): ToolRunAnswer {
  const text = result && secrets.hideJson(rawText(result) ?? stringifyExact(result))
  return {
    call: event.id,
    agent: event.agent ?? null,
    outcome: event.outcome ?? 'ok',
    result: text === undefined ? null : beginningOf(text, MAX_RESULT_CHARS),
    isCut: text !== undefined && text.length > MAX_RESULT_CHARS,
    durationMs: event.durationMs ?? 0,
    tokenCount: event.tokenCount ?? null,
    error: null,
  }
}

function describeError(error: unknown): ToolRunError {
  const { message, hint } = toHttpFailure(error).body.error
  const details = error instanceof GatewayError ? error.details : {}
  const approval = details.data?.['approval']
  return {
    message,
    hint,
    rule: details.rule ?? null,
    approval: typeof approval === 'string' ? approval : null,
  }
}
