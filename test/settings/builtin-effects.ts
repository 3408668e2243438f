import { existsSync, readdirSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { builtinContext, withSection } from '../../src/app/builtins/builtin-context.ts'
import { openEmbedder, toEmbedderSettings } from '../../src/app/builtins/embedder.ts'
import type { Environment } from '../../src/base/environment.ts'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { type BuiltinName } from '../../src/builtins/index.ts'
import { createLocalCodeService } from '../../src/builtins/code/create-code-service.ts'
import { loadCodeConfig } from '../../src/builtins/code/project/code-config.ts'
import { rewriteQuery } from '../../src/builtins/code/project/rewrite-query.ts'
import { loadSettings } from '../../src/config/load.ts'
import { messageOf } from '../../src/base/errors.ts'
import { findBuiltin } from '../../src/builtins/find-builtin.ts'
import { SHOP, aContext as codeContext, aProject, git } from '../support/code-project.ts'
import { startEmbeddingServer } from '../support/embedding-server.ts'
import { gatewayEnv } from '../support/gateway.ts'
import { type TestServer, serveHttp } from '../support/http-server.ts'
import { startQdrantStandIn } from '../support/qdrant-stand-in.ts'
import { aContext } from '../support/service-context.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { writeTinyModel } from '../support/tiny-onnx-model.ts'
import { type Effects, beside, effect } from './effect.ts'

type Env = Record<string, string>

const ENABLED = { PORTOLAN_CODE_CONTROLLER_ENABLED: 'true' }

/** What a built-in is opened with: its section of the settings, as variables. */
function contextOf(name: BuiltinName, env: Env, folder: TempFolder) {
  const place = { cwd: folder.path, env: gatewayEnv(folder, env) }
  const settings = loadSettings(place)
  return builtinContext({
    env: { ...withSection(name, settings, place.env) },
    home: settings.home,
    cwd: folder.path,
    embedding: settings.embedding,
  })
}

function given(env: Environment): Env {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** The answer of a tool of the code server to a client over HTTP that works in a project of the folder. */
async function remoteSearch(env: Env, folder: TempFolder): Promise<string> {
  const root = aProject(SHOP, folder.file('projects/shop'))
  git(root, 'init')
  const { env: section, home } = contextOf('code', env, folder)
  const service = createLocalCodeService({ env: { ...section }, home, background: false })
  onTestFinished(async () => service.close())
  const args = { query: 'totalPrice' }
  const result = await service.handle(
    'tools/call',
    { name: 'search_code', arguments: args },
    codeContext(root, { isRemote: true }),
  )
  return JSON.stringify(result)
}

const mayRead = async (env: Env, folder = tempFolder()) =>
  !(await remoteSearch(env, folder)).includes('outside the folders')

/** The sections of the built-ins that search. */
export const SEARCHERS: Effects = {
  'code.folders': effect('/', async (env) => mayRead(env), [false, true]),
  'code.projectsDir': effect('/', async (env) => mayRead(env), [false, true]),
  'code.autoIndex': effect(
    'true',
    beside({ PORTOLAN_CODE_FOLDERS: '/' }, async (env) =>
      (await remoteSearch(env, tempFolder())).includes('cart.ts'),
    ),
    [false, true],
  ),
  'code.includePatterns': effect(
    'src/**,lib/**',
    async (env) => codeConfig(env).indexing.includePatterns,
    [[], ['src/**', 'lib/**']],
  ),
  'code.excludePatterns': effect(
    'src/cart.ts',
    beside({ PORTOLAN_CODE_FOLDERS: '/', PORTOLAN_CODE_AUTO_INDEX: 'true' }, async (env) =>
      (await remoteSearch(env, tempFolder())).includes('cart.ts'),
    ),
    [true, false],
  ),
  'code.chunkSize': effect('700', async (env) => codeConfig(env).indexing.chunkSize, [
    undefined,
    700,
  ]),
  'code.chunkOverlap': effect('30', async (env) => codeConfig(env).indexing.chunkOverlap, [
    undefined,
    30,
  ]),
  'code.resultLimit': effect('3', async (env) => codeConfig(env).search.resultLimit, [10, 3]),
  'code.minScore': effect('0.4', async (env) => codeConfig(env).search.minScore, [0, 0.4]),
  'code.controllerEnabled': effect('true', async (env) => (await rewritten(env)).query, [
    'price',
    'totalPrice',
  ]),
  'code.controllerProvider': effect(
    'openai',
    beside(ENABLED, async (env) => (await rewritten(env)).path),
    ['/v1/chat/completions', '/chat/completions'],
  ),
  'code.controllerModel': effect(
    'a-model',
    beside(ENABLED, async (env) => (await rewritten(env)).model),
    ['qwen2.5:3b', 'a-model'],
  ),
  'code.controllerBaseUrl': effect(
    async () => (await modelAtOther()).url,
    beside(ENABLED, async (env) => {
      await rewritten(env)
      return (await modelAtOther()).seen.length > 0
    }),
    [false, true],
  ),
  'code.controllerTimeout': effect(
    '0.05',
    beside(ENABLED, async (env) => (await rewritten(env, 500)).query),
    ['totalPrice', 'price'],
  ),
  'knowledge.folders': effect(
    '/',
    async (env) => {
      const folder = tempFolder()
      const file = tempFolder().write('notes.md', '# Notes\n\nPumps are primed at noon.\n')
      return (await ingest(env, folder, { url: file })).includes('outside') ? 'outside' : 'read'
    },
    ['outside', 'read'],
  ),
  'knowledge.hosts': effect(
    '127.0.0.1',
    async (env) => {
      const { seen, url } = await serveHttp((_, response) => response.end('# A page\n\nWords.\n'))
      await ingest(env, tempFolder(), { url: `${url}/page.md` })
      return seen.length > 0
    },
    [false, true],
  ),
  'knowledge.qdrantUrl': effect(
    async () => (await qdrant()).url,
    async (env) => {
      const before = (await qdrant()).points()
      await ingestNotes(env)
      return (await qdrant()).points() > before
    },
    [false, true],
  ),
  'knowledge.qdrantApiKey': effect(
    'the-key',
    async (env) => {
      const locked = await startQdrantStandIn('the-key')
      onTestFinished(async () => locked.close())
      await ingestNotes({ PORTOLAN_QDRANT_URL: locked.url, ...env })
      return locked.points() > 0
    },
    [false, true],
  ),
  'knowledge.qdrantCollection': effect(
    'of_our_own',
    async (env) => {
      const { seen, url } = await serveHttp((_, response) => response.writeHead(500).end('{}'))
      await ingestNotes({ PORTOLAN_QDRANT_URL: url, ...env })
      return /collections\/(\w+?)_v1/.exec(seen[0]?.url.pathname ?? '')?.[1]
    },
    ['se_knowledge_base', 'of_our_own'],
  ),
}

/** The settings of a project without a file of its own, as the tools of the code server get them. */
function codeConfig(env: Env) {
  return loadCodeConfig([], given(contextOf('code', env, tempFolder()).env))
}

/** A query that passed the controller: what became of it, and what the model was asked. */
async function rewritten(env: Env, answersAfterMs = 0) {
  await using model = await aModel(answersAfterMs)
  const section = contextOf(
    'code',
    { PORTOLAN_CODE_OLLAMA_URL: model.url, ...env },
    tempFolder(),
  ).env
  // Of another provider than Ollama, only the address of the setting is known.
  const isOllama = section['PORTOLAN_CODE_CONTROLLER_PROVIDER'] === undefined
  const address = isOllama ? {} : { PORTOLAN_CODE_CONTROLLER_BASE_URL: model.url }
  const all = given({ ...address, ...section })
  const { query } = await rewriteQuery('price', loadCodeConfig([], all), all)
  const [asked] = model.seen
  const { model: name }: { model?: string } = JSON.parse(asked?.body ?? '{}')
  return { query, path: asked?.url.pathname, model: name }
}

async function aModel(answersAfterMs = 0): Promise<TestServer> {
  const answer = JSON.stringify({ choices: [{ message: { content: 'totalPrice' } }] })
  return serveHttp((_, response) => {
    response.setHeader('content-type', 'application/json')
    setTimeout(() => response.end(answer), answersAfterMs)
  })
}

let other: Promise<TestServer> | undefined
async function modelAtOther(): Promise<TestServer> {
  other ??= aModel()
  return other
}

let standIn: ReturnType<typeof startQdrantStandIn> | undefined
async function qdrant() {
  standIn ??= startQdrantStandIn()
  return standIn
}

async function ingestNotes(env: Env): Promise<string> {
  const folder = tempFolder()
  const path = folder.write('notes.md', '# Notes\n\nPumps are primed at noon.\n')
  return ingest(env, folder, { url: path })
}

async function ingest(env: Env, folder: TempFolder, args: JsonObject): Promise<string> {
  const service = await findBuiltin('knowledge').open(contextOf('knowledge', env, folder))
  onTestFinished(async () => service.close())
  const call = { name: 'knowledge_ingest', arguments: args }
  return JSON.stringify(await service.handle('tools/call', call, aContext()).catch(messageOf))
}

/** What a server of embeddings is asked for one text. */
async function embedded(env: Env, purpose: 'query' | 'document' = 'document') {
  const { seen, url } = await serveHttp((_, response) => {
    const data = [{ index: 0, embedding: [0.6, 0.8] }]
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  const folder = tempFolder()
  const place = {
    cwd: folder.path,
    env: gatewayEnv(folder, {
      PORTOLAN_EMBEDDING_BASE_URL: url,
      PORTOLAN_EMBEDDING_MODEL: 'a-model',
      ...env,
    }),
  }
  const { embedding, home } = loadSettings(place)
  const embedder = await openEmbedder(toEmbedderSettings(embedding, place.env), home)
  onTestFinished(async () => embedder?.close())
  const vectors = await embedder?.embed(['a text'], purpose).catch(messageOf)
  const body: unknown = JSON.parse(seen.at(-1)?.body ?? 'null')
  return {
    vectors,
    folder,
    asked: isObject(body) ? body : {},
    authorization: seen[0]?.headers.authorization,
  }
}

const asked = (key: string, purpose?: 'query' | 'document') => async (env: Env) =>
  (await embedded(env, purpose)).asked[key]

export const EMBEDDING: Effects = {
  'embedding.provider': effect('none', async (env) => (await embedded(env)).vectors?.length, [
    1,
    undefined,
  ]),
  'embedding.model': effect('another-model', asked('model'), ['a-model', 'another-model']),
  'embedding.baseUrl': effect(
    async () => (await startEmbeddingServer()).baseUrl,
    async (env) => (await embedded(env)).asked['model'],
    ['a-model', undefined],
  ),
  'embedding.apiKey': effect('a-key', async (env) => (await embedded(env)).authorization, [
    undefined,
    'Bearer a-key',
  ]),
  'embedding.dimensions': effect('2', asked('dimensions'), [undefined, 2]),
  'embedding.folder': effect(
    async () => {
      const folder = tempFolder()
      writeTinyModel(folder.path, ['a', 'text'])
      return folder.path
    },
    beside({ PORTOLAN_EMBEDDING_PROVIDER: 'onnx' }, async (env) => {
      const { vectors } = await embedded(env)
      // What runs a model need not be installed: enough that the model is found.
      return String(vectors).includes('has no config.json') ? 'no model' : 'a model'
    }),
    ['no model', 'a model'],
  ),
  'embedding.queryPrefix': effect('Q: ', asked('input', 'query'), [['a text'], ['Q: a text']]),
  'embedding.documentPrefix': effect('D: ', asked('input'), [['a text'], ['D: a text']]),
  'embedding.cacheEnabled': effect(
    'false',
    async (env) => existsSync((await embedded(env)).folder.file('data/embeddings')),
    [true, false],
  ),
  'embedding.cacheDir': effect(
    async () => tempFolder().file('vectors'),
    async (env) => {
      await embedded(env)
      const folder = env['PORTOLAN_EMBEDDING_CACHE_DIR']
      return folder !== undefined && existsSync(folder) && readdirSync(folder).length > 0
    },
    [false, true],
  ),
}
