import type { Writable } from 'node:stream'
import type { Client } from '../../gateway/call.ts'
import { MessageTooLarge, RpcError } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { LineFramer, envelopeOf } from '../../protocol/framing/line-framer.ts'
import { Peer } from '../../protocol/peer.ts'
import { metaOf } from '../../protocol/versions.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { Callers } from '../connections/callers.ts'
import { type Child, type ChildOptions, startChild } from './child.ts'
import { ERAS, type EraName, type Greeting } from '../../protocol/eras/eras.ts'
import { progressTo } from '../progress-to.ts'
import type { Connect, Link, LinkContext, LinkEvents } from '../link.ts'

export interface StdioOptions extends ChildOptions {
  readonly protocol: 'auto' | '2025-11-25' | '2026-07-28'
  readonly maxFrameBytes: number
}

/** How long a server may take to answer `server/discover` before it is taken for a legacy one. */
const PROBE_MS = 10_000

/** Connects to a server that runs as a child process, with one message per line. */
export function connectStdio(options: StdioOptions): Connect {
  const { protocol, maxFrameBytes } = options
  return async (events, { owner, era, signal }) => {
    async function start(greet: (link: StdioLink) => Promise<void>): Promise<Link> {
      const link = new StdioLink(startChild(options), events, { owner, maxFrameBytes })
      const giveUp = () => void link.close()
      signal.addEventListener('abort', giveUp)
      try {
        await greet(link)
        return link
      } catch (error) {
        await link.close()
        throw error
      } finally {
        signal.removeEventListener('abort', giveUp)
      }
    }
    if (protocol === '2026-07-28') return start(async (link) => link.greet('modern', true))
    if (protocol === '2025-11-25') return start(async (link) => link.greet('legacy'))
    if (ERAS[era].hasSession)
      return start(async (link) =>
        either(link.greet('legacy'), async (refused) =>
          // The answer to a legacy handshake explains more.
          link.greet('modern').catch((error: unknown) => {
            throw error instanceof RpcError ? refused : error
          }),
        ),
      )
    try {
      return await start(async (link) =>
        either(inTime(link.greet('modern')), async () => link.greet('legacy')),
      )
    } catch (error) {
      if (signal.aborted) throw error
      // Some legacy servers exit or fall silent when the first message is not `initialize`.
      return start(async (link) => link.greet('legacy'))
    }
  }
}

/** Tries the second greeting if the server itself rejects the first. */
async function either(
  first: Promise<void>,
  second: (refused: RpcError) => Promise<void>,
): Promise<void> {
  try {
    await first
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    await second(error)
  }
}

async function inTime(greeting: Promise<void>): Promise<void> {
  await withTimeout(greeting, PROBE_MS, () => {
    throw new Error(`it did not answer server/discover within ${PROBE_MS} ms`)
  })
}

/** Up to this many calls in flight, each is written at once. */
const FEW = 2

class StdioLink implements Link {
  readonly gone: Promise<Error>
  readonly #child: Child
  readonly #peer: Peer
  readonly #callers = new Callers()
  #greeting: Greeting = {
    era: 'legacy',
    version: '',
    capabilities: {},
    serverInfo: undefined,
    instructions: undefined,
  }

  constructor(
    child: Child,
    events: LinkEvents,
    { owner, maxFrameBytes }: { owner: Client | undefined; maxFrameBytes: number },
  ) {
    this.#child = child
    this.#callers.owner = owner
    this.#peer = new Peer(
      createLineWriter(child.stdin, () => this.#callers.count > FEW),
      {
        request: async (method, params, { canceller: signal }) =>
          events.request(method, params, {
            signal,
            origin: async () => this.#callers.clientFor(method, signal),
          }),
        notification: (method, params) => events.notification(method, params, this.#callers.origin),
        invalid: (text) => events.log(text),
      },
    )
    const framer = new LineFramer((line) => this.#peer.receive(line), {
      maxBytes: maxFrameBytes,
      onOversize: (oversize) => {
        const { id } = envelopeOf(oversize)
        const message = `its message of ${oversize.bytes} bytes is over the limit of ${maxFrameBytes} bytes`
        if (id !== undefined) this.#peer.fail(id, new MessageTooLarge(message))
        events.log(message)
      },
    })
    child.stdout.on('data', (chunk: Buffer) => framer.push(chunk))
    logLines(child.stderr, events)
    this.gone = child.gone.then((reason) => {
      this.#peer.close(reason)
      return reason
    })
  }

  get era() {
    return this.#greeting.era
  }
  get version() {
    return this.#greeting.version
  }
  get canAsk() {
    return true
  }
  get capabilities() {
    return this.#greeting.capabilities
  }
  get serverInfo() {
    return this.#greeting.serverInfo
  }
  get instructions() {
    return this.#greeting.instructions
  }

  async greet(era: EraName, isConfigured = false): Promise<void> {
    const ask = async (method: string, params: JsonObject) => this.#peer.request(method, params)
    const { owner } = this.#callers
    this.#greeting = await ERAS[era].greet(ask, { owner, isConfigured })
    if (ERAS[era].hasSession) this.#peer.notify('notifications/initialized', {})
  }

  request(method: string, params: JsonObject, context: LinkContext): Promise<JsonObject> {
    const { client } = context
    return this.#callers.during(client, () =>
      this.#peer.request(method, this.#withEnvelope(params, client), {
        signal: context.signal,
        onProgress: progressTo(client, params),
      }),
    )
  }

  notify(method: string, params: JsonObject): void {
    this.#peer.notify(method, params)
  }

  async close(): Promise<void> {
    await this.#child.stop()
  }

  #withEnvelope(params: JsonObject, client: Client | undefined): JsonObject {
    const envelope = ERAS[this.era].envelope(client)
    return envelope ? { ...params, _meta: { ...metaOf(params), ...envelope } } : params
  }
}

function logLines(stderr: NodeJS.ReadableStream, events: LinkEvents): void {
  const framer = new LineFramer((line) => events.log(line), {
    maxBytes: 64 * 1024,
    onOversize: ({ head, bytes }) => events.log(`${head}… (${bytes} bytes)`),
  })
  stderr.on('data', (chunk: Buffer) => framer.push(chunk))
  // The last line, often the reason why it ends, may have no line break.
  stderr.once('end', () => framer.push(Buffer.from('\n')))
}

/**
 * Writes lines to a child. While many calls are in flight, those of one turn of the event loop go
 * out together: one system call for many requests. A single call does not wait for a turn to end.
 */
function createLineWriter(stream: Writable, isBusy: () => boolean): (line: string) => void {
  let waiting = ''
  function flush(): void {
    const text = waiting
    waiting = ''
    stream.write(text)
  }
  return (line) => {
    if (waiting === '') {
      if (!isBusy()) {
        stream.write(`${line}\n`)
        return
      }
      setImmediate(flush)
    }
    waiting += `${line}\n`
  }
}
