import type { JsonObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { ServiceContext } from '../../protocol/service.ts'
import { toApiProblem } from './call/api-problem.ts'
import type { ApiExtension, ApiPort, ApiPrompts, ApiResources } from './extension.ts'
import { object } from './spec/read-values.ts'

interface Asked {
  readonly method: string
  readonly params: JsonObject
  readonly context: ServiceContext
}

/** Answers requests for the prompts and resources of a pack; `undefined` for any other request. */
export async function answerAssets(
  { prompts, resources }: ApiExtension = {},
  api: ApiPort,
  asked: Asked,
): Promise<JsonObject | undefined> {
  return (
    (prompts && (await answerPrompts(prompts, api, asked))) ??
    (resources && (await answerResources(resources, api, asked)))
  )
}

async function answerPrompts(prompts: ApiPrompts, { metrics }: ApiPort, { method, params }: Asked) {
  if (method === 'prompts/list') return { prompts: await prompts.list() }
  if (method !== 'prompts/get') return undefined
  return metrics.prompts.measure(async () => getPrompt(prompts, params))
}

async function answerResources(
  source: ApiResources,
  api: ApiPort,
  { method, params, context }: Asked,
): Promise<JsonObject | undefined> {
  if (method === 'resources/list') return { resources: source.resources }
  if (method === 'resources/templates/list') return { resourceTemplates: source.templates }
  if (method !== 'resources/read') return undefined
  return api.metrics.resources.measure(async () =>
    readResource(source, String(params['uri']), api, context),
  )
}

async function readResource(
  source: ApiResources,
  uri: string,
  api: ApiPort,
  context: ServiceContext,
): Promise<JsonObject> {
  const found = await source.read(uri, api, context).catch((error: unknown) => {
    const problem = toApiProblem(error, { tool: uri, server: '' })
    throw problem ? new RpcError(RPC.invalidParams, problem.message) : error
  })
  if (found === undefined) throw new RpcError(RPC.invalidParams, `Resource not found: ${uri}`)
  return { contents: [{ uri, mimeType: 'application/json', text: stringifyExact(found) }] }
}

async function getPrompt(prompts: ApiPrompts, params: JsonObject): Promise<JsonObject> {
  const name = String(params['name'])
  const found = await prompts.get(name, object(params['arguments']))
  if (!found) throw new RpcError(RPC.invalidParams, `Unknown prompt: ${name}`)
  if ('missing' in found) {
    const message = `The prompt ${name} needs ${found.missing.join(', ')}`
    throw new RpcError(RPC.invalidParams, message)
  }
  const messages = [{ role: 'user', content: { type: 'text', text: found.text } }]
  return { description: found.description, messages }
}
