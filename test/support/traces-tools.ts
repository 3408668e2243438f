import { createTracesService } from '../../src/builtins/traces/adapter/create-traces-service.ts'
import { type Fetch, HttpPort } from '../../src/builtins/traces/adapter/http-port.ts'
import {
  type CallLimits,
  limitsFromEnv,
} from '../../src/builtins/traces/adapter/limits-from-env.ts'
import type { Deps } from '../../src/builtins/traces/service/deps.ts'
import { localPort } from '../../src/builtins/traces/service/local-port.ts'
import type { Service } from '../../src/protocol/service.ts'

/** The tools over a service in this process; a busy machine must not decide what tests say. */
export function toolsOver(
  { deps }: { readonly deps: Deps },
  { apiKey, skills, limits }: { apiKey?: string; skills?: number; limits?: Partial<CallLimits> },
): Service {
  const patient = { ...limitsFromEnv({}), readTimeoutMs: 20_000, writeTimeoutMs: 20_000 }
  const port = localPort(deps, { ...patient, ...limits })
  return createTracesService({ version: '1', port, apiKey, skills })
}

interface RemoteOptions extends Partial<CallLimits> {
  readonly baseUrl?: string
  /** Instead of the network. */
  readonly fetch?: Fetch
  readonly apiKey?: string
}

/** The tools over a service elsewhere. */
export function toolsElsewhere({
  baseUrl = 'http://there.invalid',
  fetch,
  apiKey = 'k',
  ...limits
}: RemoteOptions): Service {
  const port = new HttpPort(baseUrl, { ...limitsFromEnv({}), ...limits }, fetch)
  if (!fetch) void port.warm()
  return createTracesService({ version: '1', port, apiKey })
}
