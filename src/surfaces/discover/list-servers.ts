import { isForModels } from '../../gateway/tools/app-tools.ts'
import type { Agent } from '../../gateway/call.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import { listUnlisted } from '../unlisted.ts'
import { permittedServers, type Offer, permittedTools } from '../world.ts'
import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'
import { shownName } from '../../gateway/tools/tool-ref.ts'

export const listServers: MetaTool = {
  definition: {
    name: 'list_servers',
    description: 'List the MCP servers you may use. Start here, then get_server_tools.',
    inputSchema: inputSchema({
      include_metadata: { type: 'boolean', description: 'Also transport, command and URL' },
    }),
    annotations: { readOnlyHint: true },
  },
  async answer(args, { agent, client }, world) {
    const withMetadata = args.flag('include_metadata')
    await listUnlisted(agent, client, world)
    const servers = permittedServers(world, agent).map((upstream) => {
      const { name, status } = upstream
      const description = serverDescription(upstream, agent, world)
      return {
        name,
        ...(description !== undefined && { description }),
        ...(withMetadata && world.locate(name)),
        ...(status.state === 'down' && { unavailable: status.error }),
      }
    })
    return answerWith(servers, { result: servers }, world.notes)
  },
}

const MAX_NAMES = 6

/**
 * Describes a server by its description in the configuration or its own, else by its title and the
 * tools this agent may use. Not by its instructions: it could tell agents what to do with others.
 */
export function serverDescription(
  upstream: Upstream,
  agent: Agent,
  world: Offer,
): string | undefined {
  const { description, listing, name } = upstream
  const said = description ?? textOf(listing.serverInfo?.['description'])
  if (said !== undefined) return said
  const title = textOf(listing.serverInfo?.['title'])
  const tools = summary(permittedTools(world, agent, upstream).filter(isForModels).map(shownName))
  if (title === undefined || title.toLowerCase() === name.toLowerCase()) return tools
  return tools === undefined ? title : `${title}. ${tools}`
}

/** `25 tools: click, close, navigate…`, without the prefix that all names share. */
function summary(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const prefix = sharedPrefix(names)
  const some = names.slice(0, MAX_NAMES).map((name) => name.slice(prefix.length))
  const amount = names.length === 1 ? '1 tool' : `${names.length} tools`
  return `${amount}: ${some.join(', ')}${names.length > some.length ? '…' : ''}`
}

/** `browser_` of `browser_click` and `browser_close`: whole words only. */
function sharedPrefix(names: readonly string[]): string {
  const [first = '', ...others] = names
  if (others.length === 0) return ''
  const prefix = /^[A-Za-z\d]+[-_.]/.exec(first)?.[0] ?? ''
  return prefix !== '' && others.every((name) => name.startsWith(prefix)) ? prefix : ''
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
