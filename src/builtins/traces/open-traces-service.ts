import { VERSION } from '../../base/version.ts'
import type { Service } from '../../protocol/service.ts'
import { traceRevision } from '../../storage/traces/trace-rows.ts'
import type { BuiltinContext } from '../kit/define-builtin.ts'
import { createTracesService } from './adapter/create-traces-service.ts'
import { limitsFromEnv } from './adapter/limits-from-env.ts'
import { tracesUrl } from './service/service-url.ts'

/** Opens the traces of another installation if its URL is set, otherwise those of the database. */
export async function openTracesService(context: BuiltinContext): Promise<Service> {
  const { env } = context
  const common = { ...limitsFromEnv(env), version: VERSION }
  const baseUrl = tracesUrl(env)
  const apiKey = env['COMMONTRACE_API_KEY']
  if (baseUrl !== undefined) return createTracesService({ ...common, baseUrl, apiKey })
  const { openEmbedded } = await import('./open-embedded.ts')
  const embedded = await openEmbedded(context, { background: true })
  const service = createTracesService({
    ...common,
    fetch: embedded.traces.fetch,
    apiKey: apiKey ?? (await embedded.key()),
    operatorKey: embedded.operatorKey,
  })
  return {
    ...service,
    isEmpty: async () => (await traceRevision(embedded.storage.db)) === 0,
    check: async () => embedded.storage.ping(),
    async close() {
      await service.close()
      await embedded.close()
    },
  }
}
