import type { CallDetail } from '../../../../src/dashboard/contract/calls.ts'
import type { ToolDetail } from '../../../../src/dashboard/contract/run.ts'
import type { Server } from '../../../../src/dashboard/contract/servers.ts'
import { ask } from '../../api/ask.ts'
import { type Data, useData } from '../../api/use-data.ts'
import { queried } from '../../router.ts'

export interface RunTarget {
  readonly servers: readonly Server[]
  /** The names of the tools of the chosen server. */
  readonly tools: readonly string[]
  readonly tool: ToolDetail | undefined
  /** The recorded call that is to be made again. */
  readonly before: CallDetail | undefined
}

/** Loads what the address of the page names: a tool, and a recorded call of it. */
export function useTarget(): Data<RunTarget> {
  const [server, tool, folder] = [queried('server'), queried('tool'), queried('folder')]
  const [id, at] = [queried('call'), queried('at')]
  return useData([server, tool, folder, id].join('\n'), async (signal) => {
    const before =
      id === ''
        ? undefined
        : await ask('GET /call/:id', { params: { id }, query: at === '' ? {} : { at }, signal })
    const { servers } = await ask('GET /servers', { signal })
    // Folders that share a server have it as that of the main one.
    const mine = servers.filter(({ name }) => name === server)
    const place = mine.find((one) => one.folder === folder) ?? mine[0]
    const query = place?.folder ? { folder: place.folder } : {}
    const [detail, chosen] = await Promise.all([
      place && ask('GET /servers/:server', { params: { server }, query, signal }),
      place && tool !== ''
        ? ask('GET /servers/:server/tools/:tool', { params: { server, tool }, query, signal })
        : undefined,
    ])
    return { servers, tools: detail?.tools.map(({ name }) => name) ?? [], tool: chosen, before }
  })
}
