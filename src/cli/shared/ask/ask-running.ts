import type { JsonObject } from '../../../base/json/json.ts'
import type { Config } from '../../../config/load.ts'
import { findGateway } from '../running-gateway.ts'
import type { Question } from './ask.ts'

export interface GatewayAnswer {
  readonly url: string
  readonly result: JsonObject
}

/** Asks the gateway that already runs with these files; undefined if none does. */
export async function askRunning(
  config: Config,
  question: Question,
): Promise<GatewayAnswer | undefined> {
  const gateway = await findGateway(config, question.key)
  if (gateway?.url === undefined) return undefined
  const { askEndpoint } = await import('./ask-endpoint.ts')
  const url = new URL(config.settings.listen.path, gateway.url)
  url.searchParams.set('project_path', process.cwd())
  return { url: gateway.url, result: await askEndpoint(url, question) }
}
