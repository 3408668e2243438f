import { readFileSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { getOrMake } from '../../base/maps.ts'
import { GatewayError } from '../../gateway/errors.ts'

/** What a server sent to its client, or asked it, before it answered a call. */
export type DuringCall =
  | { readonly notify: string; readonly params: JsonObject }
  | { readonly ask: string; readonly params: JsonObject; readonly answer: unknown }

/** How a call failed: an error of the server, or one of the gateway that could not reach it. */
export interface RecordedFailure {
  readonly code: number | string
  readonly message: string
  readonly data?: unknown
  readonly hint?: string | undefined
}

/** One call of a server, with all that came of it. */
export interface RecordedCall {
  /** The line in the file. */
  readonly line: number
  readonly server: string
  readonly method: string
  readonly params: JsonObject
  /** Numbers the sessions of clients; absent for clients without one. */
  readonly client?: number | undefined
  readonly during: readonly DuringCall[]
  readonly result?: JsonObject | undefined
  readonly error?: RecordedFailure | undefined
}

/** What a server said outside of calls: that something has changed, or what it lists now. */
export interface RecordedEvent {
  readonly server: string
  readonly notify?: { readonly method: string; readonly params: JsonObject } | undefined
  readonly listing?: JsonObject | undefined
  readonly description?: string | undefined
  /** The session that has this listing; absent where all have it. */
  readonly client?: number | undefined
}

/** Which differences between a recorded call and one that is made do not matter. */
export interface MatchRules {
  /** Paths in the arguments, such as `query.requestId`, with the wildcards of globs. */
  readonly ignore: readonly string[]
  /** Whether any date and time stands for any other. */
  readonly times: boolean
}

export interface Tape {
  readonly path: string
  readonly rules: MatchRules
  readonly lines: readonly (RecordedCall | RecordedEvent)[]
}

export const TAPE_VERSION = 1

/** Writes one line of a tape. */
export function toLine(fields: JsonObject): string {
  return `${stringifyExact(fields)}\n`
}

/** Reads a tape, which people may have edited; throws a failure that names the line that is wrong. */
export function readTape(path: string): Tape {
  const [first = '', ...rest] = textOf(path).split('\n')
  const header = parseLine(path, first, 1)
  if (header?.['tape'] !== TAPE_VERSION)
    throw badLine(path, 1, `a tape begins with {"tape":${TAPE_VERSION}}`)
  const match = isObject(header['match']) ? header['match'] : {}
  const lines = rest.flatMap((text, index): (RecordedCall | RecordedEvent)[] => {
    if (text.trim() === '') return []
    const line = index + 2
    // A gateway that was killed may have left a part of its last line.
    const isLast = index === rest.length - 1
    const parsed = parseLine(path, text, line, isLast)
    return parsed ? [toRecord(path, line, parsed)] : []
  })
  return {
    path,
    lines,
    rules: {
      ignore: Array.isArray(match['ignore']) ? match['ignore'].map(String) : [],
      times: match['times'] === true,
    },
  }
}

export function isCall(record: RecordedCall | RecordedEvent): record is RecordedCall {
  return 'method' in record
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new GatewayError('INVALID_PARAMS', `The tape cannot be read: ${messageOf(error)}`, {
      hint: `portolan record ${path} makes one.`,
      cause: error,
    })
  }
}

function parseLine(
  path: string,
  text: string,
  line: number,
  isLast = false,
): JsonObject | undefined {
  try {
    const value = parseExact(text, Infinity)
    if (isObject(value)) return value
    throw new Error('it is not a JSON object')
  } catch (error) {
    if (isLast) return undefined
    throw badLine(path, line, messageOf(error))
  }
}

function badLine(path: string, line: number, problem: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `${path}:${line}: ${problem}`, {
    hint: 'Each line of a tape is one JSON object. Correct the line, or delete it.',
  })
}

function toRecord(path: string, line: number, parsed: JsonObject): RecordedCall | RecordedEvent {
  const { server, call, listing, notify, description, result, error } = parsed
  if (typeof server !== 'string') throw badLine(path, line, 'it has no "server"')
  const client = typeof parsed['client'] === 'number' ? parsed['client'] : undefined
  const params = isObject(parsed['params']) ? parsed['params'] : {}
  if (isObject(listing))
    return {
      server,
      listing,
      client,
      ...(typeof description === 'string' && { description }),
    }
  if (typeof notify === 'string') return { server, notify: { method: notify, params } }
  if (typeof call !== 'string' || isObject(result) === isObject(error))
    throw badLine(path, line, NO_RECORD)
  const during = Array.isArray(parsed['during']) ? parsed['during'].filter(isDuring) : []
  const outcome = isObject(error) ? { error: toFailure(error) } : isObject(result) && { result }
  return { line, server, method: call, params, client, during, ...outcome }
}

const NO_RECORD =
  'it needs a "listing", a "notify", or a "call" with either a "result" or an "error"'

function isDuring(value: unknown): value is DuringCall {
  if (!isObject(value) || !isObject(value['params'])) return false
  return typeof value['notify'] === 'string' || typeof value['ask'] === 'string'
}

function toFailure({ code, message, data, hint }: JsonObject): RecordedFailure {
  return {
    code: typeof code === 'number' ? code : String(code),
    message: String(message),
    ...(data !== undefined && { data }),
    ...(typeof hint === 'string' && { hint }),
  }
}

/** Numbers the sessions of clients, so that two of them with equal calls get their own answers. */
export class SessionNumbers {
  readonly #numbers = new Map<string, number>()

  /** Returns undefined for clients that have no session. */
  of({ session }: { readonly session: string }): number | undefined {
    if (session === '') return undefined
    return getOrMake(this.#numbers, session, () => this.#numbers.size + 1)
  }
}

/** The parameters of a request that make it what it is: `_meta` differs with every request. */
export function withoutMeta({ _meta, ...params }: JsonObject): JsonObject {
  return params
}
