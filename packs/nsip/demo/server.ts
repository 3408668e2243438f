import type { JsonObject } from 'portolan'
import { isObject } from '../values.ts'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import {
  type Dialect,
  breedGroupsAnswer,
  detailsAnswer,
  lineageAnswer,
  pageAnswer,
  traitRangesAnswer,
} from './answers.ts'
import { createFlock } from './flock.ts'
import { searchFlock } from './search.ts'
import { STATUSES, type Sheep } from './sheep.ts'

export interface DemoServerOptions {
  readonly dialect?: Dialect
  readonly animals?: number
  readonly seed?: number
  /** A status to fail with instead of answering, for tests of failures. */
  readonly fault?: (path: string) => number | undefined
}

export interface DemoServer extends AsyncDisposable {
  /** The base URL of the API. */
  readonly url: string
  readonly flock: readonly Sheep[]
  /** Requests answered so far. */
  readonly requests: number
}

/** Starts a demo of the NSIP API on loopback: a synthetic flock, the same paths, either dialect. */
export async function startDemoServer(options: DemoServerOptions = {}): Promise<DemoServer> {
  const { dialect = 'envelope', animals, seed, fault } = options
  const flock = createFlock(animals, seed)
  const answer = createAnswer(flock, dialect)
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    const url = new URL(request.url ?? '/', 'http://loopback')
    const status = fault?.(url.pathname)
    if (status !== undefined) return send(response, status, { message: 'The demo was set to fail' })
    void respond(request, response, url)
  })

  async function respond(request: IncomingMessage, response: ServerResponse, url: URL) {
    const body = await readBody(request)
    const { code = 200, value } = answer({ url, body, method: request.method ?? 'GET' })
    send(response, code, value)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The demo has no TCP address')
  return {
    url: `http://127.0.0.1:${address.port}/api`,
    flock,
    get requests() {
      return requests
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface DemoRequest {
  readonly url: URL
  readonly method: string
  readonly body: string
}

interface Answered {
  readonly code?: number
  readonly value: unknown
}

const NOT_FOUND = { code: 404, value: { success: false, message: 'Animal not found' } }

function createAnswer(flock: readonly Sheep[], dialect: Dialect): (asked: DemoRequest) => Answered {
  const byId = new Map(flock.map((sheep) => [sheep.lpnId, sheep]))
  const wrap = (data: unknown) => (dialect === 'legacy' ? data : { success: true, data })

  function ofAnimal(id: string | null, answer: (sheep: Sheep) => unknown): Answered {
    const sheep = byId.get(id ?? '')
    return sheep ? { value: answer(sheep) } : NOT_FOUND
  }

  return ({ url: { pathname, searchParams: query }, method, body }) => {
    const number = (name: string, fallback: number) => Number(query.get(name) ?? fallback)
    switch (pathname.replace('/api/', '')) {
      case 'search/getDateLastUpdated':
        return { value: { date: '09/23/2025' } }
      case 'search/getAvailableBreedGroups':
        return { value: breedGroupsAnswer(dialect) }
      case 'search/getStatusesByBreedGroup':
        return { value: wrap(STATUSES) }
      case 'search/getTraitRangesByBreed': {
        const breedId = number('breedId', 0)
        return { value: traitRangesAnswer(flock.filter((sheep) => sheep.breedId === breedId)) }
      }
      case 'search/getPageOfSearchResults': {
        const criteria = parse(body)
        if (method !== 'POST' || !criteria) return { code: 415, value: { message: 'JSON please' } }
        const found = searchFlock(flock, query, criteria)
        const size = number('pageSize', 15)
        const from = number('page', 0) * size
        return { value: pageAnswer(found.slice(from, from + size), found.length, dialect) }
      }
      case 'details/getAnimalDetails':
        return ofAnimal(query.get('searchString'), (sheep) => detailsAnswer(sheep, dialect))
      case 'details/getLineage':
        return ofAnimal(query.get('lpnId'), (sheep) => lineageAnswer(sheep, dialect))
      case 'details/getPageOfProgeny':
        return ofAnimal(query.get('lpnId'), ({ progeny }) => {
          const size = number('pageSize', 10)
          const from = number('page', 0) * size
          return pageAnswer(progeny.slice(from, from + size), progeny.length, dialect)
        })
      default:
        return { code: 404, value: { message: `No such path: ${pathname}` } }
    }
  }
}

function parse(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
