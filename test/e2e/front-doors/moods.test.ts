// oxlint-disable max-lines -- one table, of which a reader compares rows
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerResponse } from 'node:http'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ErrorCode, ListRootsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { startEmbeddingServer } from '../../support/embedding-server.ts'
import { commonTraceBackend } from '../../support/front-doors/common-trace-backend.ts'
import {
  MOODS,
  type Mood,
  type MoodyServer,
  SLOW_MS,
  startMoodyServer,
} from '../../support/front-doors/moody-server.ts'
import { type Said, openDoor } from '../../support/front-doors/open-door.ts'
import { type SeenRequest, sendJson } from '../../support/http-server.ts'
import { REFUSALS, startMoodyProxy } from '../../support/front-doors/moody-proxy.ts'
import { MAIN, gatewayEnv } from '../../support/gateway.ts'
import { openGateway } from '../../support/open-gateway.ts'
import { createDatabase, startPostgres } from '../../support/postgres.ts'
import { startRedis } from '../../support/redis.ts'
import { useToken } from '../../support/sign-in/oauth-client.ts'
import { stdioUpstream } from '../../support/start.ts'
import { startQdrantStandIn } from '../../support/qdrant-stand-in.ts'
import { runBuilt } from '../../support/run-built.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const PAGE = join(import.meta.dirname, '../../../docs/reference/dependencies.md')

/** One call of a tool whose dependency may be in any mood. */
interface Row {
  readonly dependency: string
  readonly tool: string
  /** What the documents allow the call to take, with its dependency silent. */
  readonly limitMs: number
  readonly limit: string
  /** Whether each mood needs a new process, because the first answer is remembered. */
  readonly isRemembered?: true
  /** With the limits of the documents, or with more time than a busy machine needs. */
  open(limits: 'theirs' | 'patient'): Promise<Opened>
}

interface Opened {
  readonly server: { become(mood: Mood): Promise<void> }
  readonly call: () => Promise<{ said: string; ms: number }>
}

/** A busy machine makes everything later, but nothing by this much. */
const PATIENCE_MS = 8_000

/** Passes requests on to a server that is always well; nobody may wait for its answer any more. */
function passingOnTo(url: string) {
  return (request: SeenRequest, response: ServerResponse): void => {
    passOn(url, request, response).catch(() => response.destroy())
  }
}

async function passOn(url: string, request: SeenRequest, response: ServerResponse): Promise<void> {
  const { method, headers, body } = request
  const { pathname, search } = request.url
  const key = headers['api-key']
  const answer = await fetch(`${url}${pathname}${search}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(typeof key === 'string' && { 'api-key': key }),
    },
    ...(body !== '' && { body }),
  })
  response.writeHead(answer.status, { 'content-type': 'application/json' })
  response.end(await answer.text())
}

/** CommonTrace's server before its backend. */
function ofTraces(tool: string, args: Record<string, unknown>, limitMs: number): Row {
  return {
    dependency: 'backend of `traces mcp`',
    tool,
    limitMs,
    limit: `${limitMs} ms`,
    async open(limits) {
      const server = await startMoodyServer(commonTraceBackend('ct_key'))
      const env = {
        API_BASE_URL: server.url,
        COMMONTRACE_API_KEY: 'ct_key',
        ...(limits === 'patient' && { READ_TIMEOUT: '30', WRITE_TIMEOUT: '30' }),
      }
      const { use } = await openDoor(tempFolder(), ['traces', 'mcp'], env)
      return {
        server,
        async call() {
          const { data, isError, ms } = await use(tool, args)
          const { reason } = data
          const said = typeof reason === 'string' ? reason.replaceAll('_', ' ') : 'answers'
          return { said: isError ? 'error' : said, ms }
        },
      }
    },
  }
}

const DOCUMENT = '# IEEE 15288\n\n## 1 Requirements\n\nThe system shall be verified.\n'

/** Documents, of which something is kept or made elsewhere. */
function ofKnowledge(dependency: string, tool: string, place: Elsewhere): Row {
  return {
    dependency,
    tool,
    limitMs: 2_000,
    limit: '2 s',
    async open() {
      const { server, env } = await place()
      const folder = tempFolder()
      folder.write('15288.md', DOCUMENT)
      expect(await runBuilt(folder, ['ingest', '15288.md'], env)).toMatchObject({ code: 0 })
      const { use } = await openDoor(folder, ['knowledge', 'mcp'], env)
      return { server, call: async () => read(await use(tool, ARGUMENTS[tool])) }
    },
  }
}

const ARGUMENTS: Record<string, Record<string, unknown>> = {
  knowledge_search: { query: 'verified requirements' },
  knowledge_keyword_search: { query: 'verified' },
}

function read({ text, isError, ms }: Said) {
  const answer = JSON.parse(text)
  const found = answer.results === undefined || answer.results.length > 0
  const said = answer.lexical_only ? 'words alone' : found ? 'answers' : 'finds nothing'
  return { said: isError ? 'error' : said, ms }
}

type Elsewhere = () => Promise<{ server: MoodyServer; env: Record<string, string> }>

const qdrant: Elsewhere = async () => {
  const standIn = await startQdrantStandIn()
  onTestFinished(async () => standIn.close())
  const server = await startMoodyServer(passingOnTo(standIn.url))
  return { server, env: { PORTOLAN_QDRANT_URL: server.url } }
}

const embedder: Elsewhere = async () => {
  const model = await startEmbeddingServer()
  onTestFinished(async () => model.close())
  const origin = new URL(model.baseUrl).origin
  const server = await startMoodyServer(passingOnTo(origin))
  const env = {
    PORTOLAN_EMBEDDING_BASE_URL: `${server.url}/v1`,
    PORTOLAN_EMBEDDING_MODEL: 'hash',
    // Questions that were asked before need no embedder.
    PORTOLAN_EMBEDDING_CACHE_ENABLED: 'false',
  }
  return { server, env }
}

/** An API behind the gateway, with a time limit and one repetition. */
const api: Row = {
  dependency: 'API behind the gateway (`timeoutMs: 500`, `retries: 1`)',
  tool: 'a tool that reads',
  limitMs: 1_100,
  limit: '2 × 500 ms',
  async open(limits) {
    const server = await startMoodyServer((_, response) => sendJson(response, { pets: ['Rex'] }))
    const folder = tempFolder()
    const paths = {
      '/pets': { get: { operationId: 'listPets', responses: { '200': { description: 'fine' } } } },
    }
    folder.write('pets.json', {
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      servers: [{ url: server.url }],
      paths,
    })
    const timeoutMs = limits === 'theirs' ? 500 : 30_000
    const pets = { openapi: './pets.json', allowPrivate: true, retries: 1 }
    folder.write('.mcp.json', { mcpServers: { pets: { ...pets, timeoutMs, backoffMs: 10 } } })
    const { client } = await openDoor(folder, [])
    return {
      server,
      async call() {
        const started = performance.now()
        const args = { server: 'pets', tool: 'listPets', args: {} }
        const result = await client.callTool({ name: 'execute_tool', arguments: args })
        const ms = performance.now() - started
        const [, code] = /"code":"(\w+)"/.exec(JSON.stringify(result)) ?? []
        return { said: result.isError ? (code ?? 'error') : 'answers', ms }
      },
    }
  },
}

/** A gateway with the services that replicas share, of which it has seen the key before. */
function ofReplicas(dependency: 'PostgreSQL' | 'Redis', tool: string, limitMs: number): Row {
  return {
    dependency,
    tool: tool === 'execute_tool' ? A_CALL : A_WRITE,
    limitMs,
    limit: limitMs < 1000 ? `${limitMs} ms` : `${limitMs / 1000} s`,
    async open() {
      const isPostgres = dependency === 'PostgreSQL'
      const server = isPostgres
        ? await startMoodyProxy(await createDatabase(postgresUrl), REFUSALS.postgres)
        : await startMoodyProxy(redisUrl, REFUSALS.redis)
      const env = { [isPostgres ? 'PORTOLAN_DATABASE_URL' : 'PORTOLAN_REDIS_URL']: server.url }
      const folder = tempFolder()
      const key = (await runBuilt(folder, ['keys', 'create', 'ada'], env)).stdout.trim()
      const { connect } = await openGateway({
        folder,
        servers: { echo: stdioUpstream(), traces: { builtin: 'traces' } },
        rules: { agents: { ada: { allow: { servers: ['*'] } } } },
        settings: { auth: { required: true }, agents: { ada: { ratePerMinute: 6000 } } },
        env,
      })
      const client = await connect({ headers: { authorization: `Bearer ${key}` }, query: '' })
      const args = { server: 'echo', tool: 'echo', args: { text: 'ahoy' } }
      const trace = { server: 'traces', tool: 'contribute_trace', args: A_TRACE }
      const ask = async () =>
        timed(async () =>
          client.request('tools/call', {
            name: 'execute_tool',
            arguments: tool === 'execute_tool' ? args : trace,
          }),
        )
      await ask()
      return {
        server,
        async call() {
          server.turn()
          return ask()
        },
      }
    },
  }
}

const A_CALL = 'a call to a server'
const A_WRITE = '`contribute_trace` of the gateway'

/** The answer of a call through the gateway, or the code of its error. */
async function timed(ask: () => Promise<object>) {
  const started = performance.now()
  const result = await ask()
  const ms = performance.now() - started
  const text = JSON.stringify(result).replaceAll('\\', '')
  const [, code = 'error'] = /"code":"(\w+)"/.exec(text) ?? []
  const [, reason = 'answers'] = /"reason":"(\w+)"/.exec(text) ?? []
  const isError = 'isError' in result && result.isError
  return { said: isError ? code : reason.replaceAll('_', ' '), ms }
}

/** The client itself, which says where its person works. */
const roots: Row = {
  dependency: 'client that is asked for `roots/list`',
  tool: 'search_code',
  limitMs: 3_000,
  limit: '3 s',
  async open() {
    const folder = tempFolder()
    for (const name of ['here', 'there']) {
      folder.write(`${name}/cocosearch.yaml`, '')
      folder.write(`${name}/shop.ts`, 'export function findShop() { return 1 }\n')
    }
    const client = new Client({ name: 'editor', version: '1' }, { capabilities: ROOTS })
    let mood: Mood = 'fast'
    let asked = 0
    const known = { roots: [{ uri: pathToFileURL(folder.file('there')).href }] }
    client.setRequestHandler(ListRootsRequestSchema, async () => {
      asked += 1
      if (mood === 'hanging') return new Promise<never>(() => undefined)
      if (mood === 'slow') await sleep(SLOW_MS)
      if (mood === 'refusing') throw new McpError(ErrorCode.MethodNotFound, 'no roots here')
      if (mood === '500' || (mood === 'flapping' && asked % 2 === 1)) throw new Error('broken')
      return mood === 'garbage' ? { roots: [{ uri: 'not an address' }] } : known
    })
    const env = gatewayEnv(folder, { COCOSEARCH_AUTO_INDEX: 'true' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, 'code', 'mcp'],
        cwd: folder.file('here'),
        env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? ''])),
        stderr: 'ignore',
      }),
    )
    onTestFinished(async () => client.close())
    const call = async () => {
      const started = performance.now()
      const ask = { name: 'search_code', arguments: { query: 'shop' } }
      const answer = JSON.stringify(await client.callTool(ask))
      const ms = performance.now() - started
      return { said: answer.includes(folder.file('there')) ? 'answers' : 'its working folder', ms }
    }
    // Indexes both, so that only the roots take time.
    await call()
    return {
      call,
      server: {
        async become(next) {
          mood = next
          asked = 0
          await client.sendRootsListChanged()
        },
      },
    }
  },
}
const ROOTS = { roots: { listChanged: true } }

/** The provider whose tokens the gateway accepts, before it has its keys. */
const provider: Row = {
  dependency: 'identity provider (`auth.jwt`)',
  tool: 'the first call with a token',
  limitMs: 5_000,
  limit: '5 s',
  isRemembered: true,
  async open() {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] }
    const server = await startMoodyServer((_, response) => sendJson(response, jwks))
    const { url } = await openGateway({
      servers: { echo: stdioUpstream() },
      rules: { agents: { ada: { allow: { servers: ['*'] } } } },
      settings: {
        auth: { required: true, jwt: { jwksUrl: `${server.url}/keys`, audience: 'us' } },
      },
    })
    let issued = 0
    return {
      server,
      async call() {
        issued += 1
        const token = await new SignJWT({ sub: 'ada', jti: String(issued) })
          .setProtectedHeader({ alg: 'ES256', kid: 'one' })
          .setAudience('us')
          .setExpirationTime('1h')
          .sign(privateKey)
        const started = performance.now()
        const text = await (await useToken(`${url}/mcp`, token)).text()
        const ms = performance.now() - started
        const [, code = 'answers'] = /"code":"(\w+)"/.exec(text) ?? []
        return { said: code, ms }
      },
    }
  },
}

const READ = 200
const WRITE = 2_000
const A_TRACE = { title: 'A', context_text: 'b', solution_text: 'c', tags: ['fastapi'] }
const ROWS: readonly Row[] = [
  ofTraces('search_traces', { query: 'jwt' }, READ),
  ofTraces('contribute_trace', A_TRACE, WRITE),
  ofKnowledge('Qdrant', 'knowledge_search', qdrant),
  ofKnowledge('Qdrant', 'knowledge_stats', qdrant),
  ofKnowledge('embedder', 'knowledge_search', embedder),
  api,
  ofReplicas('PostgreSQL', 'execute_tool', 100),
  ofReplicas('PostgreSQL', 'contribute_trace', WRITE),
  ofReplicas('Redis', 'execute_tool', 50),
  roots,
  provider,
]

let postgresUrl = ''
let redisUrl = ''
beforeAll(async () => {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  postgresUrl = postgres.url
  redisUrl = redis.url
  return async () => Promise.all([postgres.stop(), redis.stop()])
})

const cells = new Map<string, string>()
const nameOf = ({ dependency, tool }: Row, mood: Mood) => `${dependency}|${tool}|${mood}`

const SILENT: readonly Mood[] = ['slow', 'hanging']
const LOUD = MOODS.filter((mood) => !SILENT.includes(mood))

it.each(ROWS.map((row) => [row.tool, row.dependency, row] as const))(
  '%s answers in every mood of its %s, and as before when that is well again',
  async (_tool, _dependency, row) => {
    const first = await row.open('patient')
    for (const mood of LOUD) {
      const { server, call } = row.isRemembered ? await row.open('patient') : first
      await server.become(mood)
      const answers = [await call(), ...(mood === 'flapping' ? [await call()] : [])]
      note(row, mood, answers)
      await server.become('fast')
      expect((await call()).said, `after ${mood}`).toBe('answers')
    }
    const second = await row.open('theirs')
    for (const mood of SILENT) {
      const silent = row.isRemembered ? await row.open('theirs') : second
      await silent.server.become(mood)
      const answer = await silent.call()
      expect(answer.ms).toBeLessThan(row.limitMs + PATIENCE_MS)
      note(row, mood, [answer])
    }
  },
)

function note(row: Row, mood: Mood, answers: readonly { said: string }[]): void {
  const said = [...new Set(answers.map((answer) => answer.said))].toSorted()
  cells.set(nameOf(row, mood), said.join(' or '))
}

it('docs/reference/dependencies.md has every answer (UPDATE_DOCS=1 writes it)', () => {
  const page = render()
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, page)
  expect(squeezed(readFileSync(PAGE, 'utf8'))).toBe(squeezed(page))
})

function render(): string {
  const lines = ROWS.map((row) => {
    const answers = MOODS.map((mood) => cells.get(nameOf(row, mood)) ?? '?')
    const tool = /^\w+_\w+$/.test(row.tool) ? `\`${row.tool}\`` : row.tool
    return `| ${[row.dependency, tool, row.limit, ...answers].join(' | ')} |`
  })
  return `# When a dependency fails

Generated by \`UPDATE_DOCS=1 npx vitest run --project e2e test/e2e/front-doors/moods.test.ts\`, which puts a real program before a dependency in seven moods. The tool answers as before as soon as its dependency is well again. No answer takes longer than the time in the third column, apart from what the tool itself does.

| dependency | tool | waits at most | ${MOODS.join(' | ')} |
| --- | --- | --- | ${MOODS.map(() => '---').join(' | ')} |
${lines.join('\n')}

_Fast_ answers at once, _slow_ after six seconds, _hanging_ accepts the connection and says nothing, _refusing_ does not listen, _500_ and _garbage_ answer with that, and _flapping_ fails every other time. Two answers are separated by "or". _Timeout_ and _unavailable_ are answers of \`traces mcp\` that begin with \`[CommonTrace …]\` and are no errors; _words alone_ is marked \`lexical_only\`. Capitals are [codes of errors](errors.md).

A dependency that was silent or failed twice in a row (a backend of traces five times) is not asked for a while: 10 s for Qdrant and embedders, 30 s for a backend of traces, a minute for a client that does not answer \`roots/list\`, 10 s for an identity provider. Then one call asks again. The log says when this begins and ends. PostgreSQL and Redis are those that replicas share, and the gateway has seen the key and the tools before: [what else happens without them](../guides/scaling.md#what-happens-when-something-fails). Roots are asked for again when the client says that they changed. A token of an identity provider that was seen before needs no answer of it.
`
}

/** The formatter aligns tables; only their words count. */
function squeezed(text: string): string {
  return text.replaceAll(/-{3,}/g, '---').replaceAll(/ +/g, ' ')
}
