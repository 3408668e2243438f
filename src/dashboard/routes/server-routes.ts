import { z } from 'zod'
import type { Upstream } from '../../gateway/upstream.ts'
import { effectOf } from '../../gateway/tools/effect.ts'
import { signature } from '../../shaping/signature.ts'
import type { Tool } from '../contract/servers.ts'
import { type DashboardParts, describeOutput, describeServers } from '../views/describe-server.ts'
import { HttpError } from '../../http/http-error.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'

const MAX_TEST_MS = 600_000

export function serverRoutes(parts: DashboardParts): Route[] {
  const { sources, costs } = parts

  function toolsOf(upstream: Upstream): Tool[] {
    const { world, metrics } = sources
    const { tools: stats } = metrics.summary()
    return upstream.listing.tools.map((tool) => {
      const { definition, name } = tool
      return {
        name,
        title: text(definition['title']),
        description: text(definition['description']),
        effect: effectOf(tool),
        tokens: costs.ofTool(tool, world),
        maxTokens: world.budgets.maxTokens({ upstream, tool }) ?? null,
        signature: signature(definition, { maxLength: 400 }),
        calls: stats[`${upstream.name}/${name}`] ?? null,
      }
    })
  }

  return [
    defineRoute('GET /servers', {
      role: 'viewer',
      async answer() {
        await costs.prepare(sources.world)
        return { servers: describeServers(parts) }
      },
    }),
    defineRoute('GET /servers/:server', {
      role: 'viewer',
      async answer({ params: { server: name = '' } }) {
        await costs.prepare(sources.world)
        const server = describeServers(parts).find((one) => one.name === name)
        if (!server) throw noServer(name)
        const upstream = sources.world.catalog.server(server.name)
        const { instructions, serverInfo, prompts = [], resources = [] } = upstream?.listing ?? {}
        return {
          ...server,
          instructions: instructions ?? null,
          version: text(serverInfo?.['version']),
          tools: upstream ? toolsOf(upstream) : [],
          ...describeOutput(upstream),
          prompts: prompts.length,
          resources: resources.length,
        }
      },
    }),
    defineRoute('POST /servers/:server/restart', {
      role: 'admin',
      async answer({ visitor, params: { server = '' } }) {
        if (!sources.world.catalog.server(server)) throw noServer(server)
        // In every folder: those whose entries differ have processes of their own.
        await Promise.all(sources.folders().map(async (folder) => folder.restart(server)))
        const entry = sources.config.servers.get(server)
        if (entry?.kind === 'broken')
          throw new HttpError(
            409,
            'SERVER_UNAVAILABLE',
            `'${server}' cannot be started: ${entry.error}`,
            'The gateway starts it as soon as that is corrected.',
          )
        recordChange(sources, visitor, 'servers.restart', { server })
        return { server }
      },
    }),
    defineRoute('POST /servers/:server/test', {
      role: 'admin',
      body: z.object({ timeoutMs: z.number().int().positive().max(MAX_TEST_MS) }),
      async answer({ params: { server = '' }, body: { timeoutMs = MAX_TEST_MS } }) {
        const upstream = sources.world.catalog.server(server)
        if (!upstream) throw noServer(server)
        return sources.probe(upstream, timeoutMs)
      },
    }),
    defineRoute('POST /servers/:server/enabled', {
      role: 'admin',
      body: z.object({ enabled: z.boolean() }),
      async answer({ visitor, params: { server = '' }, body: { enabled } }) {
        if (!sources.config.servers.has(server)) throw noServer(server)
        if (!sources.setEnabled || !sources.config.origins.servers.has(server)) throw noFile(server)
        const { file } = await sources.setEnabled(server, enabled === true)
        const change = enabled === true ? 'servers.enable' : 'servers.disable'
        recordChange(sources, visitor, change, { server, file })
        await sources.reload()
        return { server, file }
      },
    }),
  ]
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function noFile(name: string): HttpError {
  return new HttpError(
    409,
    'NOT_IN_A_FILE',
    `'${name}' is in no servers file of this gateway`,
    'Servers that come with Portolan are switched by `builtins` in portolan.yaml, pushed configurations with `portolan config push`.',
  )
}

function noServer(name: string): HttpError {
  return new HttpError(404, 'SERVER_NOT_FOUND', `There is no server '${name}'`, 'See /servers.')
}
