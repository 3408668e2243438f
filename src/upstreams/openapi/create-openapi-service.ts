import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { ResultRules, Service } from '../../protocol/service.ts'
import { ApiCaller } from './api-caller.ts'
import { type ApiConfigInput, parseApiConfig } from './api-config.ts'
import type { ImportReport } from './api-tool.ts'
import { ApiTools } from './api-tools.ts'
import { createCredentials } from './authorize-request.ts'
import { allowedOrigins, chooseBaseUrl } from './base-url.ts'
import type { ApiExtension } from './extension.ts'
import { HttpClient } from './http-client.ts'
import { resultRules } from './result-rules.ts'
import { loadImportedApi } from './load-imported-api.ts'
import { type HealthSource, ServiceMetrics } from './service-metrics.ts'

export interface OpenApiDeps {
  /** The data folder (PORTOLAN_HOME), where imported descriptions are remembered. */
  readonly home?: string | undefined
  /** The longest name that leaves room for what a surface puts before it. */
  readonly nameLimit?: number | undefined
  readonly extension?: ApiExtension | undefined
  readonly health?: HealthSource | undefined
}

export interface OpenApiService extends Service {
  readonly report: ImportReport
  readonly metrics: ServiceMetrics
  rules(tool: string): ResultRules
}

/** Any OpenAPI or Swagger description as an MCP server in this process. */
export async function createOpenApiService(
  input: ApiConfigInput,
  { home, nameLimit, extension, health }: OpenApiDeps = {},
): Promise<OpenApiService> {
  const startedAt = performance.now()
  const config = parseApiConfig(input)
  const imported = await loadImportedApi(config, { home, nameLimit })
  const base = chooseBaseUrl(config, imported)
  const name = config.name ?? (imported.title || 'api')
  const client = new HttpClient({
    origins: allowedOrigins(base, config),
    allowPrivate: config.allowPrivate,
    maxResponseBytes: config.maxResponseBytes,
  })
  const credentials = createCredentials(config.auth, imported.security, client)
  const caller = new ApiCaller({ server: name, base, config, client, credentials })
  const metrics = new ServiceMetrics()
  const tools = new ApiTools({ tools: imported.tools, caller, metrics, extension, health })
  metrics.startupMs = performance.now() - startedAt

  return {
    info: { name, version: imported.version || '0', title: config.title ?? imported.title },
    capabilities: { tools: {} },
    ...(config.instructions !== undefined && { instructions: config.instructions }),
    report: imported.report,
    metrics,
    rules(tool) {
      const operation = tools.simple(tool)?.plan.operation ?? ''
      const rules = tools.composite(tool)?.rules ?? config.tools?.[operation] ?? {}
      return resultRules(config, rules, extension)
    },
    async handle(method, params, context) {
      if (method === 'tools/list') return tools.list()
      if (method === 'tools/call') return tools.answer(params, context)
      throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
    },
    close: async () => client.close(),
  }
}
