import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { ResultRules, Service } from '../../protocol/service.ts'
import { ApiCaller } from './call/api-caller.ts'
import { type ApiConfig, type ApiConfigInput, parseApiConfig } from './load/api-config.ts'
import type { ImportReport, ImportedApi } from './tools/api-tool.ts'
import { answerAssets } from './answer-assets.ts'
import { ApiTools } from './api-tools.ts'
import { createCredentials } from './request/authorize-request.ts'
import type { ApiExtension } from './extension.ts'
import { HttpClient } from './http/http-client.ts'
import { rulesFor } from './tools/import-api.ts'
import { resultRules } from './result-rules.ts'
import { shapeOf } from './request/shape-of.ts'
import { loadImportedApi } from './load/load-imported-api.ts'
import { type HealthSource, ServiceMetrics } from './call/service-metrics.ts'
import { isUrl } from './spec/read-spec.ts'
import { SpecError } from './spec/spec-error.ts'

export interface OpenApiDeps {
  /** The data folder (PORTOLAN_HOME), where imported descriptions are remembered. */
  readonly home?: string | undefined
  /** The longest tool name that leaves room for the prefix of a surface. */
  readonly nameLimit?: number | undefined
  readonly extension?: ApiExtension | undefined
  readonly health?: HealthSource | undefined
  /** The hash that the text of the description must have; undefined for any. */
  readonly sha256?: string | undefined
}

export interface OpenApiService extends Service {
  readonly report: ImportReport
  readonly metrics: ServiceMetrics
  rules(tool: string): ResultRules
}

/** Creates an in-process MCP server from any OpenAPI or Swagger description. */
export async function createOpenApiService(
  input: ApiConfigInput,
  { home, nameLimit, extension, health, sha256 }: OpenApiDeps = {},
): Promise<OpenApiService> {
  const startedAt = performance.now()
  const config = parseApiConfig(input)
  const imported = await loadImportedApi(config, { home, nameLimit, sha256 })
  const base = chooseBaseUrl(config, imported)
  const name = config.name ?? (imported.title || 'api')
  const client = new HttpClient({
    origins: allowedOrigins(base, config),
    allowPrivate: config.allowPrivate,
    maxResponseBytes: config.maxResponseBytes,
  })
  const credentials = createCredentials(config.auth, imported.security, { client, base })
  const caller = new ApiCaller({ server: name, base, config, client, credentials })
  const metrics = new ServiceMetrics()
  const tools = new ApiTools({
    server: name,
    tools: imported.tools,
    caller,
    metrics,
    extension,
    health,
  })
  const shapes = new Map(
    imported.tools.flatMap(({ definition, plan }) => {
      const shape = shapeOf(plan, rulesFor({ ...plan, id: plan.operation }, config), definition)
      return shape ? [[definition.name, shape] as const] : []
    }),
  )
  metrics.startupMs = performance.now() - startedAt

  return {
    info: { name, version: imported.version || '0', title: config.title ?? imported.title },
    capabilities: {
      tools: {},
      ...(extension?.prompts && { prompts: {} }),
      ...(extension?.resources && { resources: {} }),
    },
    ...(config.instructions !== undefined && { instructions: config.instructions }),
    report: imported.report,
    metrics,
    rules(tool) {
      const plan = tools.simple(tool)?.plan
      const own = plan && rulesFor({ ...plan, id: plan.operation }, config)
      const rules = resultRules(config, tools.composite(tool)?.rules ?? own ?? {}, extension)
      const shape = shapes.get(tool)
      return shape ? { ...rules, shape } : rules
    },
    async handle(method, params, context) {
      if (method === 'tools/list') return tools.list()
      if (method === 'tools/call') return tools.answer(params, context)
      const answer = await answerAssets(extension, tools, { method, params, context })
      if (answer) return answer
      throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
    },
    close: async () => client.close(),
  }
}

/** Returns the base URL of calls: the configured one, else the first server of the description. */
function chooseBaseUrl({ baseUrl, openapi }: ApiConfig, { servers, title }: ImportedApi): URL {
  const wanted = baseUrl ?? servers[0] ?? (isUrl(openapi) ? '/' : undefined)
  const from = isUrl(openapi) ? openapi : undefined
  if (wanted === undefined || !URL.canParse(wanted, from ?? noBase(wanted))) {
    throw new SpecError(
      `The description of ${title || openapi} names no server that can be called.`,
      'Set baseUrl, such as "https://api.example.com/v1".',
    )
  }
  const url = new URL(wanted, from ?? noBase(wanted))
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new SpecError(`${url.protocol} cannot be called.`, 'Set baseUrl to an http(s) address.')
  }
  return url
}

/** Some descriptions name a host without a scheme. */
function noBase(wanted: string): string | undefined {
  return wanted.startsWith('//') ? 'https://anywhere' : undefined
}

/** Returns the origins of the base URL, of the OAuth token endpoint, and of the allowed hosts. */
function allowedOrigins(base: URL, { allowHosts, auth }: ApiConfig): string[] {
  const extra = allowHosts.map((host) => new URL(isUrl(host) ? host : `https://${host}`).origin)
  const tokenUrl = auth?.type === 'oauth2' ? auth.tokenUrl : undefined
  return [base.origin, ...extra, ...(tokenUrl === undefined ? [] : [new URL(tokenUrl).origin])]
}
