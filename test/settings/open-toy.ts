import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type App, createApp } from '../../src/app/app.ts'
import { openTelemetry } from '../../src/app/telemetry.ts'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { toAbortSignal } from '../../src/base/flow/signal.ts'
import { loadSettings } from '../../src/config/load.ts'
import { watchConfig } from '../../src/config/reload/watch.ts'
import type { Caller, Client } from '../../src/gateway/call.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { RpcError } from '../../src/protocol/json-rpc.ts'
import type { Service } from '../../src/protocol/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { aClient } from '../support/a-call.ts'
import { deferred } from '../support/deferred.ts'
import { gatewayEnv } from '../support/gateway.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

export interface Toy {
  readonly app: App
  readonly folder: TempFolder
  /** What the log has said so far. */
  readonly logged: () => string
  /** The text of the answer, or the code of the failure. */
  readonly call: (tool: string, args?: JsonObject, who?: Who) => Promise<string>
  /** The whole answer, whatever it is. */
  readonly request: (method: string, params: JsonObject, who?: Who) => Promise<JsonObject>
  /** Ends it before the test does. */
  readonly close: () => Promise<void>
  readonly list: (who?: Who) => Promise<string[]>
}

export interface Who {
  readonly agent?: string
  readonly credential?: string
  readonly client?: Partial<Client>
  readonly surface?: 'discover' | 'direct'
  readonly transport?: Caller['transport']
}

export interface Wanted {
  /** Entries of `.mcp.json`; one `toy` in this process unless told otherwise. */
  readonly servers?: JsonObject
  readonly rules?: JsonObject
  /** Other files of its folder. */
  readonly files?: Readonly<Record<string, string>>
  /** The server in this process, in place of the toy. */
  readonly service?: Service
  /** Nothing is known of the servers yet. */
  readonly unlisted?: true
}

/** A whole gateway in this process, without a socket; what is behind it is in this process too. */
export async function openToy(env: Record<string, string>, wanted: Wanted = {}): Promise<Toy> {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: wanted.servers ?? { toy: { builtin: 'traces' } } })
  for (const [name, text] of Object.entries(wanted.files ?? {})) folder.write(name, text)
  if (wanted.rules) folder.write('.mcp-gateway-rules.json', wanted.rules)
  const place = { cwd: folder.path, env: gatewayEnv(folder, env) }
  const lines: string[] = []
  const log = createLog({ level: 'info', stream: { write: (line) => lines.push(line) } })
  const app = createApp({
    ...place,
    log,
    watch: (listeners) => watchConfig(place, listeners),
    openService: async () => wanted.service ?? toyService(),
    telemetry: await openTelemetry(loadSettings(place), place.env, log),
  })
  let closing: Promise<void> | undefined
  const close = async () => (closing ??= app.close())
  onTestFinished(close)
  if (!wanted.unlisted) await app.listUnlisted()
  const ask = async (method: string, params: JsonObject, who: Who = {}) =>
    app.backend.handle({
      method,
      params,
      caller: {
        transport: who.transport ?? 'stdio',
        credential: who.credential,
        claimedAgent: who.agent,
      },
      client: aClient({ era: 'legacy', alone: true, ...who.client }),
      signal: new AbortController().signal,
      surface: who.surface,
    })
  return {
    app,
    folder,
    close,
    logged: () => lines.join(''),
    request: async (method, params, who = {}) => ask(method, params, { surface: 'direct', ...who }),
    async call(name, args = {}, who = {}) {
      const params = { name, arguments: args }
      const asked = ask('tools/call', params, { surface: 'direct', ...who })
      const result = await asked.catch(codeOf)
      return typeof result === 'string' ? result : textOf(result)
    },
    async list(who = {}) {
      const { tools } = await ask('tools/list', {}, who)
      return Array.isArray(tools) ? tools.filter(isObject).map(({ name }) => String(name)) : []
    },
  }
}

function codeOf(error: unknown): string {
  const { data } = error instanceof RpcError ? error : {}
  if (isObject(data) && typeof data['code'] === 'string') return data['code']
  return error instanceof GatewayError ? error.code : String(error)
}

function textOf({ content, isError, structuredContent }: JsonObject): string {
  const [first] = Array.isArray(content) ? content.filter(isObject) : []
  const text = String(first?.['text'])
  if (isError !== true) return text
  const failure = isObject(structuredContent) ? structuredContent['error'] : undefined
  return isObject(failure) ? String(failure['code']) : text
}

/** Its tools do what the layers around them have to handle. */
function toyService(): Service {
  let calls = 0
  let isMet = false
  const meeting = deferred<string>()
  const tools: Record<string, (args: JsonObject, signal: AbortSignal) => Promise<string> | string> =
    {
      /** How often it was asked. */
      count: () => String(++calls),
      echo: ({ text }) => String(text),
      rows: ({ many = 100 }) =>
        JSON.stringify(
          Array.from({ length: Number(many) }, (_, id) => ({ id, score: id, name: `row ${id}` })),
        ),
      async wait({ ms = 60_000 }, signal) {
        await wait(Number(ms), undefined, { signal })
        return 'waited'
      },
      unreachable() {
        calls++
        throw new GatewayError('SERVER_UNAVAILABLE', `try ${calls}`)
      },
      /** Answers once, then fails. */
      once() {
        if (++calls === 1) return 'an answer'
        throw new GatewayError('SERVER_UNAVAILABLE', 'every other try fails')
      },
      /** Tells whether another call came while it ran. */
      async meet() {
        const first = meeting.promise
        if (isMet) meeting.resolve('together')
        isMet = true
        return Promise.race([first, wait(1_000, 'alone')])
      },
      /** To be called as a task. */
      job: () => 'without a task',
      /** Fails once, then answers how often it was asked. */
      flaky() {
        if (++calls > 1) return String(calls)
        throw new GatewayError('SERVER_UNAVAILABLE', 'the first try fails')
      },
    }
  return {
    info: { name: 'toy', version: '1.0.0' },
    capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
    async handle(method, { name, arguments: args, task }, { signal }) {
      if (method === 'tools/list')
        return {
          tools: Object.keys(tools).map((tool) => ({
            name: tool,
            inputSchema: { type: 'object' },
            annotations: { readOnlyHint: tool !== 'unreachable' },
            ...(tool === 'job' && { execution: { taskSupport: 'required' } }),
          })),
        }
      if (task !== undefined) return { task: { taskId: 'one', status: 'working', ttl: null } }
      if (method === 'tasks/result') return { content: [{ type: 'text', text: 'of a task' }] }
      const text = await tools[String(name)]?.(isObject(args) ? args : {}, toAbortSignal(signal))
      return { content: [{ type: 'text', text }] }
    },
    close: async () => {},
  }
}
