import { onTestFinished } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { type FolderRequest, type FoldersOptions, createFolders } from '../../src/app/folders.ts'
import { watchConfig } from '../../src/config/reload/watch.ts'
import { type Trust, trustEverything } from '../../src/config/trust/trust-list.ts'
import { Conversation } from '../../src/fronts/conversation.ts'
import type { SurfaceName } from '../../src/gateway/request.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { RawClient } from './clients/raw-client.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

/** Opens a gateway of several folders in this process; its main folder has the data folder. */
export function openTestFolders(
  options: Partial<FoldersOptions> = {},
  trust: Trust = trustEverything,
) {
  const main = tempFolder()
  const at = (folder: TempFolder, env: Record<string, string> = {}): FolderRequest => ({
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      HOME: main.path,
      PORTOLAN_HOME: main.file('data'),
      ...env,
    },
  })
  const folders = createFolders({
    log: createLog({ level: 'error' }),
    main: at(main),
    follow: (request) => ({
      watch: (listeners) => watchConfig({ ...request, trust }, listeners),
    }),
    openService: async () => Promise.reject(new Error('no built-in here')),
    ...options,
  })
  onTestFinished(async () => folders.close())
  return { folders, main, at }
}

/** Connects a client to a folder that is open, and shakes hands. */
export async function connectTo(
  app: App,
  name = 'client',
  surface: SurfaceName = 'direct',
): Promise<RawClient> {
  const arrival = {
    transport: 'stdio' as const,
    credential: undefined,
    claimedAgent: undefined,
    headers: {},
    surface,
    projectPath: undefined,
    alone: false,
  }
  const client = new RawClient('legacy', (receive) => {
    const conversation = new Conversation({
      id: `${name}-${surface}`,
      backend: app.backend,
      arrival,
      send: receive,
    })
    return {
      send: (text) => conversation.receive(text),
      close: async () => conversation.close(),
    }
  })
  await client.greet()
  onTestFinished(async () => client.close())
  return client
}
