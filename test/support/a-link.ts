import type { JsonObject } from '../../src/base/json/json.ts'
import type {
  Connect,
  ConnectOptions,
  Link,
  LinkContext,
  LinkEvents,
} from '../../src/upstreams/link.ts'
import { deferred } from './deferred.ts'

export interface Sent {
  readonly method: string
  readonly params: JsonObject
  readonly context: LinkContext
}

type Answers = Readonly<Record<string, (params: JsonObject, context: LinkContext) => unknown>>

export interface TestLink extends Link {
  /** The requests to the server, in order. */
  readonly sent: Sent[]
  /** Makes the connection fail. */
  lose(reason?: string): void
  readonly isClosed: boolean
}

/** A connection to a server with the answers of the test; other requests get an empty object. */
export function aLink(parts: Partial<Link> = {}, answers: Answers = {}): TestLink {
  const sent: Sent[] = []
  const gone = deferred<Error>()
  let isClosed = false
  return {
    era: 'legacy',
    version: '2025-06-18',
    canAsk: true,
    capabilities: { tools: {} },
    serverInfo: undefined,
    instructions: undefined,
    gone: gone.promise,
    async request(method, params, context) {
      sent.push({ method, params, context })
      const result = await answers[method]?.(params, context)
      return result === undefined ? {} : { ...Object(result) }
    },
    notify: () => undefined,
    async close() {
      isClosed = true
      gone.resolve(new Error('closed'))
    },
    ...parts,
    sent,
    lose: (reason = 'it has ended') => gone.resolve(new Error(reason)),
    get isClosed() {
      return isClosed
    },
  }
}

export interface Opened {
  readonly link: TestLink
  readonly events: LinkEvents
  readonly options: ConnectOptions
}

/** Returns a `connect` that uses the links of `make`, and the list of opened links. */
export function connecting(
  make: (options: ConnectOptions, count: number) => TestLink | Promise<TestLink>,
): {
  readonly connect: Connect
  readonly opened: Opened[]
} {
  const opened: Opened[] = []
  let count = 0
  return {
    opened,
    async connect(events, options) {
      const link = await make(options, count++)
      opened.push({ link, events, options })
      return link
    },
  }
}
