import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../app/app.ts'
import { CallTally, openService } from '../../app/builtins/open-service.ts'
import { openBuiltin } from '../../app/builtins/builtin-context.ts'
import { serveHttp } from '../../app/serve.ts'
import { packageFile } from '../../base/files/package-files.ts'
import { FILE_NAMES } from '../../config/paths.ts'
import { watchConfig } from '../../config/reload/watch.ts'
import { createLog } from '../../telemetry/log.ts'
import { launchOf } from '../clients/launch.ts'
import { startShopApi } from './shop-api.ts'

/** The description of the sample API, and a small program with a bug for code search to find. */
const FILES = packageFile('assets/demo')

export interface Demo {
  readonly project: string
  /** The endpoint of the gateway, for an agent that works in the sample project. */
  readonly endpoint: string
  close(): Promise<void>
}

/**
 * Starts a gateway in a temporary folder, with two servers, an API and a project. `close` removes
 * everything.
 */
export async function openDemo(): Promise<Demo> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'portolan-demo-')))
  const undo: (() => Promise<unknown> | void)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
  ]
  async function close(): Promise<void> {
    for (const step of undo.splice(0).toReversed()) await step()
  }
  try {
    const api = await startShopApi()
    undo.push(async () => api.close())
    writeDemo(folder, api.url)
    // Without the user's own configuration, so that the tour is the same everywhere.
    const env = { HOME: folder, PORTOLAN_HOME: join(folder, 'data') }
    const { mcp, rules } = FILE_NAMES
    const files = { mcp: join(folder, mcp), rules: join(folder, rules) }
    const load = { cwd: folder, env, flags: { ...files, overrides: { listen: { port: 0 } } } }
    const tally = new CallTally()
    const app = createApp({
      ...load,
      log: createLog({ level: 'error' }),
      watch: (listeners) => watchConfig(load, listeners),
      openService: async (server, settings) =>
        server.kind === 'builtin'
          ? openBuiltin(server.builtin, {
              home: settings.home,
              embedding: settings.embedding,
              env,
              cwd: folder,
            })
          : openService(server, settings, { tally }),
    })
    undo.push(async () => app.close())
    tally.follow(app.feed)
    const server = await serveHttp(app, { surface: undefined })
    undo.push(async () => server.close())
    const project = join(folder, 'project')
    const endpoint = `http://127.0.0.1:${server.port}/mcp?project_path=${encodeURIComponent(project)}`
    return { project, endpoint, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Writes everything the tour needs: Portolan's files, the description of an API, a project. */
function writeDemo(folder: string, apiUrl: string): void {
  const { command, args } = launchOf(process)
  // The samples store their data apart from the gateway's.
  const env = { PORTOLAN_HOME: join(folder, 'samples') }
  const sample = (name: string, description: string) => ({
    command,
    args: [...args, 'demo-server', name],
    env,
    description,
  })
  write(folder, '.mcp.json', {
    mcpServers: {
      tickets: sample('tickets', 'Tickets of the web shop'),
      calendar: sample('calendar', 'Meetings of the team'),
      shop: { openapi: './shop.json', allowPrivate: true, description: 'Orders, from a REST API' },
      code: { builtin: 'code', description: 'Search in the code of the shop' },
    },
  })
  write(folder, '.mcp-gateway-rules.json', {
    agents: {
      ada: { allow: { servers: ['*'] } },
      intern: {
        allow: { servers: ['tickets', 'shop'] },
        deny: { tools: { tickets: ['delete_*'] } },
      },
    },
  })
  const shop: object = JSON.parse(readFileSync(join(FILES, 'shop.json'), 'utf8'))
  write(folder, 'shop.json', { ...shop, servers: [{ url: apiUrl }] })
  cpSync(join(FILES, 'project'), join(folder, 'project'), { recursive: true })
}

function write(folder: string, name: string, content: object): void {
  writeFileSync(join(folder, name), JSON.stringify(content, null, 2))
}
