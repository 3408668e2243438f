import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { hasCode, messageOf } from '../../base/errors.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { getOrMake } from '../../base/maps.ts'
import { VERSION } from '../../base/version.ts'
import type { Client } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Listing, Upstream } from '../../gateway/upstream.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { toSaved } from '../listing/listing-store.ts'
import type { CleanValues } from './clean-values.ts'
import {
  type DuringCall,
  type RecordedFailure,
  SessionNumbers,
  TAPE_VERSION,
  toLine,
  withoutMeta,
} from './tape.ts'

export interface RecorderOptions {
  readonly path: string
  /** Whether lines are added to a tape that there is. */
  readonly adds?: boolean
  /** Called once if nothing more can be written. */
  readonly failed: (message: string) => void
}

/** Lists that have changed are recorded as the new listing. */
const LIST_CHANGED = /\/list_changed$/

/** Records on a tape what servers list, answer, ask and say. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #values: CleanValues
  readonly #file: number
  readonly #startedAt = performance.now()
  readonly #sessions = new SessionNumbers()
  /** Clients of calls that are being recorded, as a replaced server passes calls on to the next. */
  readonly #recording = new WeakSet<Client>()
  #bytes = 0
  #problem: string | undefined

  /** Throws if the file cannot be made, or is there already. */
  constructor(options: RecorderOptions, values: CleanValues) {
    this.#options = options
    this.#values = values
    const { path, adds } = options
    this.#file = open(path, adds ? 'a' : 'wx')
    const header = { tape: TAPE_VERSION, recorded: new Date().toISOString(), portolan: VERSION }
    if (!adds) {
      this.#write(toLine(header))
      return
    }
    const before = readFileSync(path)
    this.#bytes = before.length
    if (before.at(-1) !== NEW_LINE) this.#write('\n')
  }

  /** Why the tape is not complete; undefined while it is. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Returns the server with all of its calls recorded. */
  record(server: Upstream): Upstream {
    server.onNotification((method, params) => {
      if (LIST_CHANGED.test(method)) note(server.listing)
      else this.#line({ server: server.name, notify: method, params: withoutMeta(params) })
    })
    const listings = new Map<number | undefined, { of: Listing; text: string }>()
    const note = (listing: Listing, client?: number) => {
      const before = listings.get(client)
      if (before?.of === listing || listing.serverInfo === undefined) return
      const { isRemembered: _, ...saved } = toSaved(listing)
      const text = stringifyExact(saved)
      listings.set(client, { of: listing, text })
      const { name, description } = server
      if (text !== before?.text) this.#line({ server: name, client, description, listing: saved })
    }
    const noteFor = (client: Client | undefined) => {
      note(server.listing)
      const own = client && server.listingFor?.(client)
      if (own && own !== server.listing) note(own, this.#sessions.of(client))
    }
    const viewOf = (inner: Upstream): Upstream => {
      const people = new Map<string, Upstream>()
      const own: Partial<Upstream> = {
        request: async (...request) => this.#request(inner, request, noteFor),
        async list(how) {
          const listing = await inner.list(how)
          noteFor(how?.client)
          return listing
        },
        ...(inner.as && {
          as: (person) => getOrMake(people, person, () => viewOf(inner.as?.(person) ?? inner)),
        }),
      }
      return withMembers(inner, own)
    }
    return viewOf(server)
  }

  /** Ends the tape, and hides in its first lines the secrets that were recognised later. */
  close(): void {
    closeSync(this.#file)
    if (this.#values.recognised === 0 || this.#problem !== undefined) return
    const { path } = this.#options
    const text = readFileSync(path, 'utf8')
    const clean = text
      .split('\n')
      .map((line) => (line === '' ? '' : this.#cleanLine(line)))
      .join('\n')
    if (clean !== text) replaceFile(path, clean, 0o600)
  }

  async #request(
    server: Upstream,
    [method, params, context]: Parameters<Upstream['request']>,
    noteFor: (client: Client) => void,
  ): Promise<JsonObject> {
    if (this.#recording.has(context.client)) return server.request(method, params, context)
    const during: DuringCall[] = []
    const client = listeningTo(context.client, during)
    this.#recording.add(client)
    const at = this.#now()
    const ended = (outcome: JsonObject) => {
      noteFor(context.client)
      const number = this.#sessions.of(context.client)
      this.#line({
        at,
        server: server.name,
        client: number,
        call: method,
        params: withoutMeta(params),
        ...(during.length > 0 && { during }),
        ms: this.#now() - at,
        ...outcome,
      })
    }
    try {
      const result = await server.request(method, params, { ...context, client })
      ended({ result })
      return result
    } catch (error) {
      // Nobody learns how a cancelled call ends.
      if (!context.signal.aborted) ended({ error: toFailure(error) })
      throw error
    }
  }

  #cleanLine(line: string): string {
    const value = parseExact(line, Infinity)
    return isObject(value) ? toLine(this.#values.cleanAgain(value)).trimEnd() : line
  }

  #now(): number {
    return Math.round(performance.now() - this.#startedAt)
  }

  #line(fields: JsonObject): void {
    if (this.#problem !== undefined) return
    try {
      this.#write(toLine(this.#values.clean({ at: this.#now(), ...fields })))
    } catch (error) {
      // The call itself goes on; the tape stays as it is.
      this.#problem = `The tape ${this.#options.path} ends here, as it cannot be written: ${messageOf(error)}`
      this.#options.failed(this.#problem)
    }
  }

  #write(line: string): void {
    const bytes = Buffer.from(line)
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at)
      this.#bytes += bytes.length
    } catch (error) {
      // A part of a line would make the whole tape unreadable.
      ftruncateSync(this.#file, this.#bytes)
      throw error
    }
  }
}

const NEW_LINE = 0x0a

function open(path: string, flags: string): number {
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    const exists = hasCode(error, 'EEXIST')
    const why = exists ? 'it is there already' : messageOf(error)
    throw new GatewayError('INVALID_PARAMS', `The tape ${path} cannot be made: ${why}`, {
      hint: exists ? 'Remove it, or give the tape another name.' : 'Give the tape another path.',
      cause: error,
    })
  }
}

/** Returns a client that notes what it is sent and asked. */
function listeningTo(client: Client, during: DuringCall[]): Client {
  return {
    ...client,
    notify(method, params) {
      const { progressToken: _, ...update } = params
      during.push({ notify: method, params: withoutMeta(update) })
      client.notify(method, params)
    },
    async request(method, params, options) {
      const question = { ask: method, params: withoutMeta(params), answer: undefined as unknown }
      during.push(question)
      try {
        const answer = await client.request(method, params, options)
        question.answer = answer
        return answer
      } catch (error) {
        question.answer = { error: toFailure(error) }
        throw error
      }
    },
  }
}

function toFailure(error: unknown): RecordedFailure {
  if (error instanceof RpcError) return error.toFailure()
  if (!(error instanceof GatewayError))
    return { code: 'SERVER_UNAVAILABLE', message: messageOf(error) }
  const { code, message, details } = error
  return { code, message, hint: details.hint }
}

/** Returns an object with some members of its own; all others are those of the other one. */
function withMembers(inner: Upstream, own: Partial<Upstream>): Upstream {
  return new Proxy(inner, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name)
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
