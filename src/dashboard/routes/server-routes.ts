import { z } from 'zod'
import type { Upstream } from '../../gateway/upstream.ts'
import {
  type DashboardParts,
  describeLimits,
  describeOutput,
  describeServers,
} from '../views/describe-server.ts'
import { describeTool, textOf } from '../views/describe-tool.ts'
import { HttpError } from '../../http/http-error.ts'
import { maybe } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { readStats } from '../views/usage.ts'
import { authorOf, mustBeInFiles } from './history-routes.ts'
import { type Route, defineRoute } from '../route.ts'

const MAX_TEST_MS = 600_000

export function serverRoutes(parts: DashboardParts): Route[] {
  const { sources, costs } = parts

  return [
    defineRoute('GET /servers', {
      role: 'viewer',
      async answer() {
        await costs.prepare(sources.world)
        return { servers: describeServers(parts, await readStats(sources.history)) }
      },
    }),
    defineRoute('GET /servers/:server', {
      role: 'viewer',
      query: z.object({ folder: maybe }),
      async answer({ params: { server: name = '' }, query: { folder = null } }) {
        const { world, config } = sources.folders().find(({ path }) => path === folder) ?? sources
        await costs.prepare(world)
        const stats = await readStats(sources.history)
        const server = describeServers(parts, stats).find(
          (one) => one.name === name && one.folder === folder,
        )
        if (!server) throw noServer(name)
        const upstream = world.catalog.server(server.name)
        return {
          ...server,
          ...describeLimits(config.servers.get(name)),
          ...describeListing(upstream),
          tools:
            upstream?.listing.tools.map((tool) =>
              describeTool(upstream, tool, { world, costs, stats: stats.tools }),
            ) ?? [],
          ...describeOutput(upstream),
        }
      },
    }),
    defineRoute('POST /servers/:server/restart', {
      role: 'admin',
      async answer({ visitor, params: { server = '' } }) {
        if (!sources.folders().some(({ world }) => world.catalog.server(server)))
          throw noServer(server)
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
    defineRoute('GET /servers/:server/review', {
      role: 'viewer',
      answer: ({ params: { server = '' } }) => sources.review(server) ?? notReviewed(server),
    }),
    defineRoute('POST /servers/:server/review', {
      role: 'admin',
      body: z.object({ accept: z.boolean(), digests: z.array(z.string()).max(10_000) }),
      async answer({ visitor, params: { server = '' }, body: { accept = false, digests = [] } }) {
        if (!sources.review(server)) return notReviewed(server)
        const by = authorOf(visitor)
        const decided = await sources.decide(server, { accept, digests }, by)
        const change = accept ? 'servers.accept' : 'servers.reject'
        recordChange(sources, visitor, change, { server, changes: decided })
        return { server, decided }
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
    defineRoute('POST /servers/:server/remove', {
      role: 'admin',
      async answer({ visitor, params: { server = '' } }) {
        if (!sources.config.servers.has(server)) throw noServer(server)
        const file = sources.config.origins.servers.get(server)
        if (file === undefined) throw noFile(server)
        const [{ changeFile }, { editJson }] = await Promise.all([
          import('../../config/history/change-file.ts'),
          import('../../base/json/edit-json.ts'),
        ])
        const { version } = await changeFile(mustBeInFiles(sources), {
          file,
          by: authorOf(visitor),
          reason: `server remove ${server}`,
          edit: (before) => editJson(before, ['mcpServers', server], undefined),
        })
        recordChange(sources, visitor, 'servers.remove', { server, file })
        await sources.reload()
        return { file, version: version ?? null }
      },
    }),
  ]
}

function describeListing(upstream: Upstream | undefined) {
  const { instructions, serverInfo, prompts = [], resources = [] } = upstream?.listing ?? {}
  return {
    instructions: instructions ?? null,
    version: textOf(serverInfo?.['version']),
    prompts: prompts.length,
    resources: resources.length,
  }
}

function notReviewed(name: string): never {
  throw new HttpError(
    404,
    'SERVER_NOT_FOUND',
    `Nothing is held of a server '${name}': there is none, or it is in this process`,
    'See /servers.',
  )
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
