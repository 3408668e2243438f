import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { type JsonObject, isObject } from '../../../src/base/json/json.ts'
import { RawClient, type Wire } from './raw-client.ts'

type Receive = (text: string) => void
type Headers = Readonly<Record<string, string>>

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** Of the client. */
  readonly clientInfo?: JsonObject
}

/** Opens a client over the stdin and stdout of a program. */
export async function openStdio(
  era: 'legacy' | 'modern',
  { command, args, clientInfo, ...options }: Program,
): Promise<RawClient> {
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
  const client = new RawClient(era, (receive) => {
    createInterface({ input: child.stdout }).on('line', receive)
    return {
      send: (text) => void child.stdin.write(`${text}\n`),
      async close() {
        child.stdin.end()
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      },
    }
  })
  if (clientInfo) client.info = clientInfo
  await client.greet()
  return client
}

/** How a client differs from others. */
export interface Manners {
  /** Declares no capability, so that no server may send it requests. */
  readonly mute?: boolean
  /** Its capabilities, instead of those of all clients of the suite. */
  readonly capabilities?: JsonObject | undefined
  /** Opens no standing stream. */
  readonly deaf?: boolean
  /** Its client info. */
  readonly clientInfo?: JsonObject
}

/** Streamable HTTP: a session and a standing stream if legacy, single requests if modern. */
export async function openHttp(
  era: 'legacy' | 'modern',
  url: string,
  headers: Headers = {},
  { mute = false, deaf = false, clientInfo, capabilities }: Manners = {},
): Promise<RawClient> {
  const { client, listen } = httpClient(era, url, headers)
  if (mute) client.capabilities = {}
  if (capabilities) client.capabilities = capabilities
  if (clientInfo) client.info = clientInfo
  await client.greet()
  if (era === 'legacy' && !deaf) listen()
  return client
}

/** A client that continues a legacy session at another address. */
export function resumeHttp(url: string, session: string, headers: Headers = {}): RawClient {
  const { client, listen } = httpClient('legacy', url, headers, session)
  listen()
  return client
}

function httpClient(
  era: 'legacy' | 'modern',
  url: string,
  headers: Headers,
  given?: string,
): { client: RawClient; listen: () => void } {
  let session = given
  let receiver: Receive | undefined
  const take: Receive = (text) => receiver?.(text)
  const closing = new AbortController()
  const open = new Map<number, AbortController>()

  async function post(text: string, message: JsonObject): Promise<void> {
    const id = Number(message['id'])
    const ending = new AbortController()
    open.set(id, ending)
    const signal = AbortSignal.any([ending.signal, closing.signal])
    const extra = era === 'modern' ? mirrored(message) : sessionHeaders(session)
    const response = await fetch(url, {
      method: 'POST',
      body: text,
      signal,
      headers: { 'content-type': 'application/json', accept: ACCEPT, ...headers, ...extra },
    })
    session ??= response.headers.get('mcp-session-id') ?? undefined
    client.sessionId = session
    await readAnswer(response, take)
    open.delete(id)
  }

  async function listen(): Promise<void> {
    const accept = { accept: 'text/event-stream' }
    const response = await fetch(url, {
      headers: { ...headers, ...accept, ...sessionHeaders(session) },
      signal: closing.signal,
    })
    await readAnswer(response, take)
  }

  const client = new RawClient(era, (receive) => {
    receiver = receive
    return {
      send: (text, message) => void post(text, message).catch(ignoreAbort),
      ...(era === 'modern' && { cancel: (id: number) => open.get(id)?.abort() }),
      async close() {
        if (session !== undefined)
          await fetch(url, {
            method: 'DELETE',
            headers: { ...headers, ...sessionHeaders(session) },
          })
        closing.abort()
      },
    }
  })
  return { client, listen: () => void listen().catch(ignoreAbort) }
}

/** The transport of 2024: a stream that names the endpoint for messages. */
export async function openSse(
  url: string,
  headers: Headers = {},
  { capabilities }: Pick<Manners, 'capabilities'> = {},
): Promise<RawClient> {
  const closing = new AbortController()
  const stream = await fetch(url, { headers, signal: closing.signal })
  let located: ((address: string) => void) | undefined
  const endpoint = new Promise<string>((resolve) => (located = resolve))
  const client = new RawClient('legacy', (receive) => {
    readEvents(stream, (event, data) => (event === 'endpoint' ? located?.(data) : receive(data)))
      .catch(ignoreAbort)
      .catch(() => undefined)
    return {
      send: (body) =>
        void endpoint.then(async (address) =>
          fetch(new URL(address, url), { method: 'POST', body, headers }),
        ),
      close: async () => closing.abort(),
    }
  })
  if (capabilities) client.capabilities = capabilities
  await client.greet()
  return client
}

export async function openWebSocket(
  url: string,
  headers: Headers = {},
  era: 'legacy' | 'modern' = 'legacy',
  { capabilities }: Pick<Manners, 'capabilities'> = {},
): Promise<RawClient> {
  const socket = new WebSocket(url, 'mcp', { headers })
  await once(socket, 'open')
  const wire = (receive: Receive): Wire => {
    socket.on('message', (data: Buffer) => receive(data.toString()))
    return { send: (text) => socket.send(text), close: async () => socket.close() }
  }
  const client = new RawClient(era, wire)
  if (capabilities) client.capabilities = capabilities
  await client.greet()
  return client
}

const ACCEPT = 'application/json, text/event-stream'

function sessionHeaders(session: string | undefined): Headers {
  return session === undefined
    ? {}
    : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
}

function mirrored({ method, params }: JsonObject): Headers {
  const { name, uri, taskId } = isObject(params) ? params : {}
  const named = method === 'resources/read' ? uri : (name ?? taskId)
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': String(method),
    ...(typeof named === 'string' && { 'mcp-name': named }),
  }
}

async function readAnswer(response: Response, receive: Receive): Promise<void> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream'))
    return readEvents(response, (_, data) => receive(data))
  const text = await response.text()
  if (text.startsWith('{')) receive(text)
}

async function readEvents(
  response: Response,
  take: (event: string, data: string) => void,
): Promise<void> {
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) take(/^event: (.*)$/m.exec(block)?.[1] ?? 'message', data)
    }
  }
}

/** Ignores the errors of streams that either side closed on purpose. */
function ignoreAbort(error: unknown): void {
  const expected = error instanceof Error && /AbortError|terminated/.test(String(error))
  if (!expected) throw error
}
