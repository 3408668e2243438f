import { onTestFinished } from 'vitest'
import { askGateway } from '../../src/local/connect.ts'
import { isRunning } from '../../src/local/alone.ts'
import { openRunFolder } from '../../src/local/run-folder.ts'
import { openStdio } from './clients/wires.ts'
import type { RawClient } from './clients/raw-client.ts'
import { MAIN } from './gateway.ts'
import { type Ended, runProgram } from './run-program.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

export interface ClientOptions {
  readonly era?: 'legacy' | 'modern'
  /** Its name in the handshake. */
  readonly name?: string
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** The entry point, such as that of another version. */
  readonly main?: string
}

/** A person with a data folder, whose clients share a gateway. */
export interface SharedHome extends TempFolder {
  readonly env: Record<string, string>
  /** Starts a client that speaks to `portolan` over stdio, as MCP clients do. */
  open(options?: ClientOptions): Promise<RawClient>
  run(...args: string[]): Promise<Ended>
  /** The process that serves the clients now; undefined if none does. */
  gateway(): Promise<number | undefined>
}

/** Makes a home; whatever gateway runs for it when the test ends, ends as well. */
export function sharedHome(
  servers: object,
  settings?: object,
  folder: TempFolder = tempFolder(),
): SharedHome {
  folder.write('data/mcp.json', { mcpServers: servers })
  if (settings) folder.write('data/portolan.yaml', settings)
  folder.write('work/README.md', 'A folder to work in.')
  const data = folder.file('data')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder.path,
    PORTOLAN_HOME: data,
    // The folder of the socket must not depend on the machine.
    XDG_RUNTIME_DIR: folder.path,
  }
  const gateway = async () => {
    try {
      return (await askGateway(openRunFolder(data, env), 'ping'))?.pid
    } catch {
      return undefined // A test has made the folder unusable.
    }
  }
  onTestFinished(async () => {
    for (let pid = await gateway(); pid !== undefined; pid = await gateway()) {
      process.kill(pid, 'SIGKILL')
      while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })
  return {
    ...folder,
    env,
    gateway,
    async open({ era = 'legacy', folder: cwd = folder.file('work'), args = [], ...more } = {}) {
      const { main = MAIN, env: own = {}, name } = more
      const client = await openStdio(era, {
        ...(name !== undefined && { clientInfo: { name, version: '1' } }),
        command: process.execPath,
        args: [main, '--surface', 'direct', ...args],
        cwd,
        env: { ...env, ...own },
      })
      onTestFinished(async () => client.close())
      return client
    },
    run: async (...args) =>
      runProgram(process.execPath, [MAIN, ...args], { cwd: folder.file('work'), env }),
  }
}
