import type { OpenApiServer } from '../config/servers.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { OpenApiService } from '../upstreams/openapi/create-openapi-service.ts'
import { loadApi } from '../upstreams/openapi/load/load-api.ts'
import type { HealthSource } from '../upstreams/openapi/call/service-metrics.ts'
import { SpecError } from '../upstreams/openapi/spec/spec-error.ts'
import { MAX_NAME } from '../upstreams/openapi/tools/tool-name.ts'

/** The API of an `openapi` entry: its further keys configure it. */
export async function openApi(
  { name, openapi, extra, timeoutMs }: OpenApiServer,
  { home, health }: { home: string; health: HealthSource | undefined },
): Promise<OpenApiService> {
  const loading = loadApi(openapi, {
    home,
    health,
    // The direct surface shows `server__tool`, and clients cut or refuse what is longer.
    nameLimit: MAX_NAME - name.length - '__'.length,
    config: { ...extra, name, ...(timeoutMs !== undefined && { timeoutMs }) },
  })
  return loading.catch((error: unknown) => {
    if (!(error instanceof SpecError)) throw error
    throw new GatewayError('SERVER_UNAVAILABLE', error.message, { hint: error.hint, cause: error })
  })
}
