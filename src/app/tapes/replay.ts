import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpOrigin } from '../../base/net/net.ts'
import type { Flags } from '../../config/load.ts'
import { watchConfig } from '../../config/reload/watch.ts'
import type { SurfaceName } from '../../gateway/request.ts'
import { createLog } from '../../telemetry/log.ts'
import { type App, createApp } from '../app.ts'
import { openService } from '../builtins/open-service.ts'
import { serveHttp } from '../serve.ts'
import { type ReplayRules, replayTape } from './tape-run.ts'

export interface ReplayOptions extends ReplayRules {
  /** What clients see; every tool by its name when absent. */
  readonly surface?: SurfaceName
  /** Files that apply to the replay: overrides, rules and settings. None of this machine does otherwise. */
  readonly files?: Pick<Flags, 'mcp' | 'rules' | 'settings'>
}

/** A gateway whose servers are a tape. */
export interface Replay {
  /** The endpoint for MCP clients of both eras. */
  readonly url: string
  readonly app: App
  /** The calls that are not on the tape, each as a message with what differs from the nearest one. */
  misses(): readonly string[]
  close(): Promise<void>
}

/**
 * Serves a tape for a test, on a free port and with nothing of this machine.
 *
 * @example
 * ```ts
 * const tape = await replay('tapes/shop.jsonl')
 * await client.connect(new StreamableHTTPClientTransport(new URL(tape.url)))
 * // …
 * expect(tape.misses()).toEqual([])
 * await tape.close()
 * ```
 */
export async function replay(path: string, options: ReplayOptions = {}): Promise<Replay> {
  const { surface = 'direct', files, ...rules } = options
  const tape = replayTape(path, rules)
  const home = mkdtempSync(join(tmpdir(), 'portolan-replay-'))
  const clear = () => rmSync(home, { recursive: true, force: true })
  try {
    const load = {
      cwd: home,
      env: { HOME: home, PORTOLAN_HOME: home },
      flags: { ...files, overrides: { listen: { port: 0 } } },
    }
    const app = createApp({
      ...load,
      tape,
      log: createLog({ level: 'error' }),
      openService,
      watch: tape.follow((listeners) => watchConfig(load, listeners)),
    })
    const server = await serveHttp(app, { surface })
    const { host, path: endpoint } = app.config.settings.listen
    return {
      url: `${httpOrigin(host, server.port)}${endpoint}`,
      app,
      misses: () => tape.problems(),
      async close() {
        await app.leave(server)
        clear()
      },
    }
  } catch (error) {
    clear()
    throw error
  }
}
