import { VERSION } from '../../base/version.ts'
import type { Service } from '../../protocol/service.ts'
import { traceRevision } from '../../storage/traces/trace-rows.ts'
import type { BuiltinContext } from '../kit/define-builtin.ts'
import { createTracesService } from './adapter/create-traces-service.ts'
import { HttpPort } from './adapter/http-port.ts'
import { limitsFromEnv } from './adapter/limits-from-env.ts'
import { tracesKey, tracesUrl } from './common-trace-names.ts'

/** Opens the traces of another installation if its URL is set, otherwise those of the database. */
export async function openTracesService(context: BuiltinContext): Promise<Service> {
  const { env } = context
  const { skills, ...limits } = limitsFromEnv(env)
  const common = { skills, version: VERSION }
  const baseUrl = tracesUrl(env)
  const apiKey = tracesKey(env)
  if (baseUrl !== undefined) {
    const port = new HttpPort(baseUrl, limits)
    // Connects in advance, so that the first call does not spend its 200 ms on the connection.
    void port.warm()
    return createTracesService({ ...common, port, apiKey })
  }
  const [{ openEmbedded }, { localPort }] = await Promise.all([
    import('./open-embedded.ts'),
    import('./service/local-port.ts'),
  ])
  const embedded = await openEmbedded(context)
  const service = createTracesService({
    ...common,
    port: localPort(embedded.traces.deps, limits),
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
