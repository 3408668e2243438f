import type { JsonObject } from '../../base/json/json.ts'
import { getOrMake } from '../../base/maps.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import type { Client } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Listing } from '../../gateway/upstream.ts'
import { EMPTY_LISTING } from '../listing/listing.ts'
import { fromSaved } from '../listing/listing-store.ts'
import type { CleanValues } from './clean-values.ts'
import { type Compare, createCompare, isSameRequest, nearestCall } from './match-call.ts'
import {
  type DuringCall,
  type MatchRules,
  type RecordedCall,
  type RecordedEvent,
  SessionNumbers,
  type Tape,
  isCall,
  withoutMeta,
} from './tape.ts'

type Lines = readonly (RecordedCall | RecordedEvent)[]

/** What only reads, so that its last answer may be given again. */
const READS = /^(?:resources\/|prompts\/|completion\/|skills\/|tasks\/(?:get|result|list)$)/

/** Gives the answers of a tape, each recorded call once and in the recorded order. */
export class Player {
  readonly #tape: Tape
  readonly #values: CleanValues
  readonly #compare: Compare
  readonly #sessions = new SessionNumbers()
  readonly #servers = new Map<string, ServerLines>()
  /** What was asked and is not on the tape, each as a message. */
  readonly misses: string[] = []

  constructor(tape: Tape, values: CleanValues, { ignore, times }: MatchRules) {
    this.#tape = tape
    this.#values = values
    this.#compare = createCompare({
      ignore: [...tape.rules.ignore, ...ignore],
      times: tape.rules.times || times,
    })
  }

  get servers(): ReadonlySet<string> {
    return new Set(this.#tape.lines.map(({ server }) => server))
  }

  linesOf(server: string): ServerLines {
    return getOrMake(this.#servers, server, () => {
      const own = this.#tape.lines.filter((line) => line.server === server)
      return new ServerLines(server, own, this.#sessions)
    })
  }

  /**
   * Returns the calls that may be meant, the likeliest first: until its questions are answered, a call
   * may be any of them. Empty if the call is not on the tape.
   */
  find(server: string, method: string, given: JsonObject, client: Client): readonly RecordedCall[] {
    const lines = this.linesOf(server)
    const params = this.#values.clean(withoutMeta(given))
    const same = lines
      .callsOf(method)
      .filter((call) => isSameRequest(call.params, params, this.#compare))
    const left = same.filter((call) => !lines.isUsed(call))
    const number = this.#sessions.of(client)
    const own = left.filter((call) => call.client === number)
    if (left.length > 0) return [...own, ...left.filter((call) => !own.includes(call))]
    const last = same.at(-1)
    return last && lines.isRead(last) ? [last] : []
  }

  /** Whether a call would still be this one after its client has given an answer. */
  isAnswered(call: RecordedCall, question: number, answer: unknown): boolean {
    const asked = questionsOf(call)[question]
    // Where its user works is not a part of what was asked.
    if (asked?.ask === 'roots/list') return true
    return asked !== undefined && this.#compare(asked.answer, this.#values.clean(answer))
  }

  /** Reports a call that is not on the tape, and returns the failure for its caller. */
  missed(server: string, method: string, given: JsonObject): GatewayError {
    const lines = this.linesOf(server)
    const params = this.#values.clean(withoutMeta(given))
    const { name = params['uri'] ?? method } = params
    const what = `${server}: ${typeof name === 'string' ? name : method}`
    const all = lines.callsOf(method)
    const same = all.filter((call) => isSameRequest(call.params, params, this.#compare))
    const named = all.filter((call) => call.params['name'] === params['name'])
    const nearest = nearestCall(named, params)
    let why = `nothing with this name was recorded. ${didYouMean(String(params['name']), namesOf(all)) ?? ''}`
    if (same.length > 0)
      why = `it was recorded ${same.length === 1 ? 'once' : `${same.length} times`}, and this is one call more`
    else if (nearest)
      why = `the nearest recorded call is in line ${nearest.call.line}:\n${nearest.diff.join('\n')}`
    const message = `The tape ${this.#tape.path} has no such call of ${what}; ${why}`.trim()
    this.misses.push(message)
    return new GatewayError('NOT_RECORDED', message, {
      hint: 'Record the tape again, correct the line, ignore the argument (--ignore), or ask the real server (--record-missing).',
      inconclusive: true,
    })
  }
}

/** The lines of one server, and how far they have been played. */
export class ServerLines {
  readonly #server: string
  readonly #lines: Lines
  readonly #sessions: SessionNumbers
  readonly #byMethod = new Map<string, RecordedCall[]>()
  readonly #used = new Set<RecordedCall>()
  readonly #own = new Map<number, Listing>()
  #played = 0
  listing: Listing = EMPTY_LISTING
  description: string | undefined

  constructor(server: string, lines: Lines, sessions: SessionNumbers) {
    this.#server = server
    this.#lines = lines
    this.#sessions = sessions
    for (const line of lines)
      if (isCall(line)) getOrMake(this.#byMethod, line.method, () => []).push(line)
    // What it listed before its first call.
    this.#playTo(-1)
  }

  callsOf(method: string): readonly RecordedCall[] {
    return this.#byMethod.get(method) ?? []
  }

  isUsed(call: RecordedCall): boolean {
    return this.#used.has(call)
  }

  /** Whether a call changes nothing, so that it may be made more often than it was recorded. */
  isRead({ method, params }: RecordedCall): boolean {
    if (method !== 'tools/call') return READS.test(method)
    return this.listing.tools.some(({ name, readOnly }) => name === params['name'] && readOnly)
  }

  listingFor(client: Client): Listing {
    const number = this.#own.size > 0 ? this.#sessions.of(client) : undefined
    return (number !== undefined && this.#own.get(number)) || this.listing
  }

  use(call: RecordedCall): void {
    this.#used.add(call)
  }

  /** Another call was meant. */
  release(call: RecordedCall): void {
    this.#used.delete(call)
  }

  /** Plays a call, and returns what the server said before it and until the next one. */
  play(call: RecordedCall): readonly RecordedEvent[] {
    return this.#playTo(this.#lines.indexOf(call))
  }

  #playTo(at: number): readonly RecordedEvent[] {
    const next = this.#lines.findIndex((line, index) => index > at && isCall(line))
    const end = next === -1 ? this.#lines.length : next
    const events = this.#lines
      .slice(this.#played, end)
      .flatMap((line) => (isCall(line) ? [] : [line]))
    this.#played = Math.max(this.#played, end)
    for (const { listing, client, description } of events) {
      this.description = description ?? this.description
      if (!listing) continue
      const list = { ...fromSaved(this.#server, listing), isRemembered: false }
      if (client === undefined) this.listing = list
      else this.#own.set(client, list)
    }
    return events
  }
}

export function questionsOf({ during }: RecordedCall): Extract<DuringCall, { ask: string }>[] {
  return during.flatMap((event) => ('ask' in event ? [event] : []))
}

function namesOf(calls: readonly RecordedCall[]): Set<string> {
  return new Set(calls.map(({ params }) => String(params['name'])))
}
