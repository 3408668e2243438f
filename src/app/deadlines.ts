import type { Config } from '../config/load.ts'
import type { Authorized } from '../gateway/call.ts'

/** How long a call may take: as its tool says, its server, or the settings for all. */
export function deadlinesOf({ servers, settings }: Config): (call: Authorized) => number {
  const { tools, callMs } = settings.deadlines
  const ofServer = new Map<string, number>()
  for (const [name, server] of servers)
    if (server.kind !== 'broken' && server.timeoutMs !== undefined)
      ofServer.set(name, server.timeoutMs)
  const single = Object.keys(tools).length > 0
  return ({ upstream, tool }) => {
    const own = single && tool ? tools[`${upstream.name}.${tool.name}`] : undefined
    return own ?? tools[`${upstream.name}.*`] ?? ofServer.get(upstream.name) ?? callMs
  }
}
