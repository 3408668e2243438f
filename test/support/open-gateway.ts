import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { RawClient } from './clients/raw-client.ts'
import { type Manners, openHttp } from './clients/wires.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { type Later, type TempFolder, tempFolder } from './temp-folder.ts'

export interface Wanted {
  readonly servers: JsonObject
  readonly rules?: JsonObject
  /** The content of portolan.yaml; JSON is YAML. */
  readonly settings?: JsonObject
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  /** An existing folder, to start a gateway again. */
  readonly folder?: TempFolder
  /** Registers the clean-up; by default, with the running test. */
  readonly later?: Later
}

export interface ConnectOptions extends Manners {
  readonly era?: 'legacy' | 'modern'
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: string
}

export interface Opened extends RunningGateway {
  readonly folder: TempFolder
  /** Opens a client of the endpoint; `headers` identify it, `query` selects what it sees. */
  readonly connect: (options?: ConnectOptions) => Promise<RawClient>
}

/** Opens a real gateway in its own folder, with these servers. */
export async function openGateway(wanted: Wanted): Promise<Opened> {
  const { later = onTestFinished } = wanted
  const folder = wanted.folder ?? tempFolder(later)
  folder.write('.mcp.json', { mcpServers: wanted.servers })
  if (wanted.rules) folder.write('.mcp-gateway-rules.json', wanted.rules)
  if (wanted.settings) folder.write('portolan.yaml', wanted.settings)
  const gateway = await startGateway(folder, wanted.args, wanted.env, later)
  return {
    ...gateway,
    folder,
    async connect({ era = 'legacy', headers = {}, query = 'surface=direct', ...manners } = {}) {
      const client = await openHttp(era, `${gateway.url}/mcp?${query}`, headers, manners)
      later(async () => client.close().catch(() => undefined))
      return client
    },
  }
}
