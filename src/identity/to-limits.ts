import { GatewayError } from '../gateway/errors.ts'
import type { HandleLimits } from '../gateway/agents/rules.ts'
import { getOrMake } from '../base/maps.ts'

/** The limits of a handle as people and agents write them: servers, and tools as `server.tool`. */
export interface LimitNames {
  readonly servers?: readonly string[] | undefined
  readonly tools?: readonly string[] | undefined
}

/** Converts limits as written on a command line. */
export function toLimits({ servers, tools }: LimitNames): HandleLimits | undefined {
  return limitTo({ servers, tools: tools && byServer(tools) })
}

/** Adds the servers of named tools: `pg.query` alone allows only that tool. */
export function limitTo({ servers, tools }: HandleLimits): HandleLimits | undefined {
  if (servers === undefined && tools === undefined) return undefined
  const patterns = Object.entries(tools ?? {}).filter(([, list]) => list.length > 0)
  // `*.query` applies to tools on every server, but must not widen a list of servers.
  const named = patterns
    .map(([server]) => server)
    .filter((server) => server !== '*' || servers === undefined)
  return {
    servers: [...new Set([...(servers ?? []), ...named])],
    tools: Object.fromEntries(patterns),
  }
}

function byServer(tools: readonly string[]): Record<string, string[]> {
  const patterns = new Map<string, string[]>()
  for (const entry of tools) {
    const dot = entry.indexOf('.')
    if (dot <= 0 || dot === entry.length - 1) {
      throw new GatewayError('INVALID_PARAMS', `"${entry}" does not name a tool`, {
        hint: 'Write tools as server.tool, with * for every server or tool.',
      })
    }
    const server = entry.slice(0, dot)
    getOrMake(patterns, server, () => []).push(entry.slice(dot + 1))
  }
  return Object.fromEntries(patterns)
}
