import type { Config } from '../../config/load.ts'
import type { Problem } from '../../config/problem.ts'
import type { Upstream } from '../../gateway/upstream.ts'

/** Returns the overrides that do not fit what servers have listed, with the places to correct. */
export function overrideProblems(
  servers: readonly Upstream[],
  { origins }: Pick<Config, 'origins'>,
): Problem[] {
  return servers.flatMap(({ name, listing: { leftOut = [] } }) =>
    leftOut.flatMap(({ kind, name: tool, reason, at }) => {
      if (at === undefined) return []
      const effect = kind === 'tool' ? `, so "${tool}" is not offered` : ''
      return [
        {
          file: origins.servers.get(name) ?? '',
          path: `mcpServers.${name}.${at}`,
          message: `Server "${name}": ${reason}${effect}`,
          server: name,
        },
      ]
    }),
  )
}
