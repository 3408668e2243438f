import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import { beforeAll, describe } from 'vitest'
import { WebSocket } from 'ws'
import { type App, createApp } from '../../src/app/app.ts'
import { Conversation } from '../../src/fronts/conversation.ts'
import { watchConfig } from '../../src/config/reload/watch.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { RawClient } from './clients/raw-client.ts'
import { openSdkV1 } from './clients/sdk-v1.ts'
import { openSdkV2 } from './clients/sdk-v2.ts'
import type { Session } from './clients/session.ts'
import { openHttp, openSse, openStdio, openWebSocket } from './clients/wires.ts'
import { MAIN, gatewayEnv, startGateway } from './gateway.ts'
import { startHttpUpstream, stdioUpstream } from './start.ts'
import { type Later, type TempFolder, tempFolder } from './temp-folder.ts'

export type Surface = 'discover' | 'direct'

/** Where the gateway of one suite can be reached. */
interface Place {
  readonly folder: TempFolder
  readonly url: string
  readonly app: App
}

type Open = (place: Place, surface: Surface) => Promise<Session>

const WAYS: Readonly<Record<string, Open>> = {
  'in process, by hand': openInProcess,
  'stdio, by hand': async (place, surface) => openStdio('legacy', program(place, surface)),
  'stdio, SDK v1': async (place, surface) =>
    openSdkV1(new StdioV1({ ...toSdk(program(place, surface)), stderr: 'ignore' })),
  'stdio, SDK v2 legacy': async (place, surface) =>
    openSdkV2('legacy', stdioTransport(place, surface)),
  'stdio, SDK v2 modern': async (place, surface) =>
    openSdkV2('modern', stdioTransport(place, surface)),
  'HTTP legacy, by hand': async (place, surface) => openHttp('legacy', at(place, '/mcp', surface)),
  'HTTP legacy, SDK v1': async (place, surface) =>
    openSdkV1(new HttpV1(new URL(at(place, '/mcp', surface)))),
  'HTTP legacy, SDK v2': async (place, surface) =>
    openSdkV2('legacy', httpTransport(place, surface)),
  'HTTP modern, by hand': async (place, surface) => openHttp('modern', at(place, '/mcp', surface)),
  'HTTP modern, SDK v2': async (place, surface) =>
    openSdkV2('modern', httpTransport(place, surface)),
  'SSE, by hand': async (place, surface) => openSse(at(place, '/sse', surface)),
  'SSE, SDK v2': async (place, surface) =>
    openSdkV2('legacy', new SSEClientTransport(new URL(at(place, '/sse', surface)))),
  'WebSocket, by hand': async (place, surface) => openWebSocket(webSocketUrl(place, surface)),
  'WebSocket, SDK v1': async (place, surface) => {
    // The SDK's transport needs the browser's WebSocket, which Node 20 does not have.
    Object.assign(globalThis, { WebSocket })
    return openSdkV1(new WebSocketClientTransport(new URL(webSocketUrl(place, surface))))
  },
}

export interface Suite {
  /** A session that sees every tool, and one that sees the discovery tools. */
  readonly direct: Session
  readonly discover: Session
}

/**
 * Runs one suite over every transport and client. Each gateway has two servers, `old`, a legacy
 * stdio server, and `new`, a modern HTTP server, so that each client uses both.
 */
export function describeTransports(
  tests: (suite: () => Suite, way: { readonly byHand: boolean }) => void,
): void {
  let place: Place
  beforeAll(async () => {
    const undo: (() => void | Promise<void>)[] = []
    place = await openPlace((step) => undo.unshift(step))
    return async () => {
      for (const step of undo) await step()
    }
  })
  describe.each(Object.entries(WAYS))('%s', (name, open) => {
    let suite: Suite
    beforeAll(async () => {
      const [direct, discover] = await Promise.all([open(place, 'direct'), open(place, 'discover')])
      suite = { direct, discover }
      return async () => void (await Promise.all([direct.close(), discover.close()]))
    })
    tests(() => suite, { byHand: name.endsWith('by hand') })
  })
}

async function openPlace(later: Later): Promise<Place> {
  const upstream = await startHttpUpstream('--era', 'modern')
  later(async () => upstream.close())
  const folder = tempFolder(later)
  folder.write('.mcp.json', {
    mcpServers: {
      old: { ...stdioUpstream(), description: 'The old server' },
      new: { url: upstream.url },
    },
  })
  const gateway = await startGateway(folder, [], {}, later)
  const place = {
    cwd: folder.path,
    env: gatewayEnv(folder, { PORTOLAN_HOME: folder.file('in-process') }),
  }
  const app = createApp({
    ...place,
    watch: (listeners) => watchConfig(place, listeners),
    log: createLog({ level: 'error' }),
    openService: async () => Promise.reject(new Error('no built-in here')),
  })
  later(async () => app.close())
  return { folder, url: gateway.url, app }
}

async function openInProcess({ app }: Place, surface: Surface): Promise<Session> {
  const arrival = {
    transport: 'in-process' as const,
    credential: undefined,
    claimedAgent: undefined,
    headers: {},
    surface,
    projectPath: undefined,
    alone: false,
  }
  const client = new RawClient('legacy', (receive) => {
    const conversation = new Conversation({
      id: `suite-${surface}`,
      backend: app.backend,
      arrival,
      send: receive,
    })
    return {
      send: (text) => conversation.receive(text),
      close: async () => conversation.close(),
    }
  })
  await client.greet()
  return client
}

function program({ folder }: Place, surface: Surface) {
  const env = gatewayEnv(folder, { PORTOLAN_HOME: folder.file(`stdio-${surface}`) })
  const args = [MAIN, '--surface', surface]
  return { command: process.execPath, args, cwd: folder.path, env }
}

function toSdk({ env, ...rest }: ReturnType<typeof program>) {
  return { ...rest, env: { ...env, PATH: env.PATH ?? '' } }
}

function stdioTransport(place: Place, surface: Surface): StdioClientTransport {
  return new StdioClientTransport({ ...toSdk(program(place, surface)), stderr: 'ignore' })
}

function httpTransport(place: Place, surface: Surface): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(at(place, '/mcp', surface)))
}

function at({ url }: Place, path: string, surface: Surface): string {
  return `${url}${path}?surface=${surface}`
}

function webSocketUrl(place: Place, surface: Surface): string {
  return at(place, '/ws', surface).replace('http:', 'ws:')
}
