import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { StorageOptions } from '../../src/storage/open-storage.ts'
import { MAIN } from './gateway.ts'
import { type TracesClient, tracesClient } from './traces-client.ts'

export interface TracesServer extends TracesClient {
  readonly url: string
  /** Ends it by a signal; returns its exit code, if any. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

interface ServerOptions {
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Starts `portolan traces serve` as a process, with limits that no test reaches. */
export async function startTracesServer(
  place: StorageOptions,
  { port = 0, env = {} }: ServerOptions = {},
): Promise<TracesServer> {
  const child = spawn(process.execPath, [MAIN, 'traces', 'serve', '--port', String(port)], {
    env: {
      ...process.env,
      PORTOLAN_HOME: place.home,
      PORTOLAN_DATABASE_URL: place.databaseUrl ?? '',
      RATE_LIMIT_READ_PER_MINUTE: '1000000',
      RATE_LIMIT_WRITE_PER_MINUTE: '1000000',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /http:\S+?(?=\/api)/.exec(line)?.[0]
    if (url === undefined) continue
    child.stderr.resume()
    return {
      ...tracesClient(fetch, url),
      url,
      async end(signal) {
        child.kill(signal)
        const [code] = await ended
        return typeof code === 'number' ? code : null
      },
    }
  }
  throw new Error('traces serve ended before it was ready')
}
