import type { JsonObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { answerPrompts } from '../../protocol/answer-prompts.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { ServiceContext } from '../../protocol/service.ts'
import { toApiProblem } from './call/api-problem.ts'
import type { ApiExtension, ApiPort, ApiResources } from './extension.ts'

interface AssetQuestion {
  readonly method: string
  readonly params: JsonObject
  readonly context: ServiceContext
}

/** Answers requests for the prompts and resources of a pack; `undefined` for any other request. */
export async function answerAssets(
  { prompts, resources }: ApiExtension = {},
  api: ApiPort,
  asked: AssetQuestion,
): Promise<JsonObject | undefined> {
  const { method, params } = asked
  if (prompts && method === 'prompts/list') return answerPrompts(await prompts(), method, params)
  if (prompts && method === 'prompts/get')
    return api.metrics.prompts.measure(async () => answerPrompts(await prompts(), method, params))
  return resources && answerResources(resources, api, asked)
}

async function answerResources(
  source: ApiResources,
  api: ApiPort,
  { method, params, context }: AssetQuestion,
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
