import { withTimeout } from '../../base/flow/time.ts'
import { toolKey } from '../../gateway/tools/tool-ref.ts'
import type { Tool, Upstream } from '../../gateway/upstream.ts'

/** An agent tends to use again what it has used, and knows how. */
const USED_BEFORE = 0.3
/** Calls would fail now; if no other tool does the same, it is still the answer. */
const UNAVAILABLE = -0.5
/** An empty server has nothing to read; writing would change that. */
const EMPTY_TO_READ = -0.6
const EMPTY_TO_WRITE = -0.3
/** The largest bonus that a tool can have. */
export const MAX_STANDING = USED_BEFORE
/** Counting takes a millisecond; a database that hangs must not delay a search. */
const WAIT_MS = 100

/** Returns a bonus or penalty for each tool besides its texts. */
export async function standingOf(
  servers: readonly Upstream[],
  usedBefore: ReadonlySet<string>,
): Promise<(tool: Tool) => number> {
  const down = new Set(servers.filter(({ status }) => status.state === 'down').map(nameOf))
  const empty = new Set(await emptyOnes(servers))
  return (tool) => {
    const used = usedBefore.has(toolKey(tool)) ? USED_BEFORE : 0
    const away = down.has(tool.server) ? UNAVAILABLE : 0
    if (!empty.has(tool.server)) return used + away
    return used + away + (tool.readOnly ? EMPTY_TO_READ : EMPTY_TO_WRITE)
  }
}

async function emptyOnes(servers: readonly Upstream[]): Promise<string[]> {
  const answers = await Promise.all(
    servers.map(async (server) => {
      const asking = server.inProcess?.isEmpty?.()
      const isEmpty = asking && withTimeout(asking, WAIT_MS, () => false).catch(() => false)
      return (await isEmpty) === true ? [server.name] : []
    }),
  )
  return answers.flat()
}

function nameOf({ name }: Upstream): string {
  return name
}
