import { type IncomingMessage, type Server, createServer } from 'node:http'
import type { JsonObject } from '../../src/base/json/json.ts'
import { object } from '../../src/upstreams/openapi/spec/read-values.ts'
import { readRoot } from '../apis/specs.ts'
import { deref } from '../support/deref.ts'
import { listen } from '../support/listen.ts'
import { sampleRecord } from './sample-records.ts'

/** A list of records: its path in the description, the field that names a record, and its size. */
export interface Collection {
  readonly path: string
  readonly key: string
  readonly count: number
  /** Turns the number of a record into its name. */
  readonly toKey?: (number: number) => unknown
}

export interface Write {
  readonly method: string
  readonly path: string
  readonly body: string
}

const DEFAULT_PAGE = 30

/**
 * Answers according to a description, with records made from its schemas: the same for the same
 * address, paged by `page` and `per_page` or by `starting_after` and `limit`, and filtered by any
 * parameter that is a field of the records. Writes are recorded and answered with an id.
 */
export class SpecMock {
  readonly writes: Write[] = []
  readonly #root: JsonObject
  readonly #collections: readonly Collection[]
  readonly #server: Server
  url = ''

  static async start(file: string, collections: readonly Collection[]): Promise<SpecMock> {
    const mock = new SpecMock(readRoot(file), collections)
    mock.url = await listen(mock.#server)
    return mock
  }

  private constructor(root: JsonObject, collections: readonly Collection[]) {
    this.#root = root
    this.#collections = collections
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, body }) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(body)),
      )
    })
  }

  /** Returns all records of a list, to check an answer. */
  all(path: string): JsonObject[] {
    const collection = this.#collections.find((each) => matches(each.path, path))
    if (!collection) throw new Error(`no records at ${path}`)
    return Array.from({ length: collection.count }, (_, index) =>
      this.#record(collection, path, index + 1),
    )
  }

  close(): void {
    this.#server.close()
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mock')
    const method = request.method ?? 'GET'
    if (method !== 'GET') {
      const body = await textOf(request)
      this.writes.push({ method, path: pathname, body })
      return { status: method === 'POST' ? 201 : 200, body: { id: this.writes.length } }
    }
    const collection = this.#collections.find((each) => matches(each.path, pathname))
    if (collection) return { status: 200, body: this.#page(collection, pathname, searchParams) }
    const folder = pathname.slice(0, pathname.lastIndexOf('/'))
    const name = decodeURIComponent(pathname.slice(folder.length + 1))
    const owner = this.#collections.find((each) => matches(each.path, folder))
    const found = owner && this.all(folder).find((record) => String(record[owner.key]) === name)
    return found
      ? { status: 200, body: found }
      : { status: 404, body: { message: `no ${name} in ${folder}` } }
  }

  #page({ path, key }: Collection, pathname: string, query: URLSearchParams): unknown {
    const filtered = this.all(pathname).filter((record) =>
      [...query].every(
        ([name, value]) => !(name in record) || value === 'all' || String(record[name]) === value,
      ),
    )
    const isCursor = deref(this.#root, this.#schemaOf(path)).type === 'object'
    const size = Number(query.get('per_page') ?? query.get('limit') ?? DEFAULT_PAGE)
    const after = filtered.findIndex((record) => record[key] === query.get('starting_after'))
    const from = isCursor ? after + 1 : (Number(query.get('page') ?? 1) - 1) * size
    const data = filtered.slice(from, from + size)
    return isCursor
      ? { object: 'list', url: pathname, has_more: from + size < filtered.length, data }
      : data
  }

  #record({ path, key, toKey }: Collection, pathname: string, number: number): JsonObject {
    const schema = deref(this.#root, this.#schemaOf(path))
    const items = schema.items ?? object(deref(this.#root, object(schema.properties).data)).items
    const record = sampleRecord(this.#root, items, `${pathname}#${number}`)
    return { ...record, [key]: toKey?.(number) ?? number }
  }

  #schemaOf(path: string): unknown {
    const operation = object(object(object(this.#root.paths)[path]).get)
    const response = deref(this.#root, object(operation.responses)['200'])
    return object(object(response.content)['application/json']).schema
  }
}

function matches(template: string, pathname: string): boolean {
  const parts = template.split('/')
  const given = pathname.split('/')
  return (
    parts.length === given.length &&
    parts.every((part, index) => part.startsWith('{') || part === given[index])
  )
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
