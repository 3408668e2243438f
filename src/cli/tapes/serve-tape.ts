import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Folders } from '../../app/folders.ts'
import { serveHttp } from '../../app/serve.ts'
import type { TapeRun } from '../../app/tapes/tape-run.ts'
import { httpOrigin } from '../../base/net/net.ts'
import { FILE_VARIABLES, explicitPath } from '../../config/paths.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { openRunFolder } from '../../local/run-folder.ts'
import { serveLocally } from '../../local/serve-locally.ts'
import { createLog } from '../../telemetry/log.ts'
import { overHttp } from '../serve/over-http.ts'
import { type ServeFlags, mustHave, reportTape } from '../serve/serve-flags.ts'
import { toLoad } from '../serve/to-load.ts'
import { openFolders } from '../shared/open-app.ts'

/** Serves a gateway with a tape: until it is stopped, or for as long as a command runs. */
export async function serveTape(
  tape: TapeRun,
  flags: ServeFlags,
  client: readonly string[],
): Promise<void> {
  const [command, ...args] = client
  // The person's own clients would not expect that their servers are a tape.
  if (command === undefined)
    return overHttp(tape.isReplay ? { ...flags, alone: true } : flags, tape)
  const log = createLog({
    level: flags.debug ? 'debug' : 'warn',
    ...(flags.logFormat && { format: flags.logFormat }),
  })
  const folders = await openFolders(toLoad({ port: 0, ...flags, ...namedFiles(flags) }), log, tape)
  const folder = mkdtempSync(join(tmpdir(), 'portolan-tape-'))
  try {
    chmodSync(folder, 0o700)
    await mustHave(folders.main, flags.toolset)
    process.exitCode = await serveCommand(folders, { command, args, folder, flags })
  } finally {
    await folders.close()
    rmSync(folder, { recursive: true, force: true })
  }
  process.exit(reportTape(tape) || process.exitCode)
}

/** The files that flags or variables name, which all clients of the command use. */
function namedFiles({ mcp, rules, config }: ServeFlags): ServeFlags {
  const place = { cwd: process.cwd(), env: process.env }
  const named = {
    mcp: explicitPath('mcp', place, mcp),
    rules: explicitPath('rules', place, rules),
    config: explicitPath('settings', place, config),
  }
  return Object.fromEntries(Object.entries(named).filter(([, path]) => path !== undefined))
}

interface ClientCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Where clients over stdio that the command starts find the gateway. */
  readonly folder: string
  readonly flags: ServeFlags
}

/** Runs the command until it ends, and returns its exit code. */
async function serveCommand(folders: Folders, client: ClientCommand): Promise<number> {
  const { command, args, folder, flags } = client
  const { surface, toolset } = flags
  const { listen } = folders.main.config.settings
  const server = await serveHttp(folders.main, { surface, toolset })
  const env = {
    ...process.env,
    PORTOLAN_RUN: folder,
    PORTOLAN_URL: `${httpOrigin(listen.host, server.port)}${listen.path}`,
  }
  // With these, a client that the command starts would have a gateway of its own.
  for (const name of ['PORTOLAN_ALONE', ...FILE_VARIABLES]) Reflect.deleteProperty(env, name)
  const local = await serveLocally({
    folders,
    kind: 'serve',
    run: openRunFolder(folder, env),
    env,
    answers: { dashboard: async () => ({ url: folders.main.dashboardUrl ?? null }) },
    onEmpty: () => undefined,
    onReplaced: () => undefined,
  })
  try {
    const child = spawn(command, args, { env, stdio: 'inherit' })
    const stop = (signal: NodeJS.Signals) => child.kill(signal)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
    const [code, signal]: unknown[] = await once(child, 'exit').catch((error: unknown) => {
      throw new GatewayError('INVALID_PARAMS', `${command} cannot be started: ${String(error)}`)
    })
    return typeof code === 'number' ? code : signal === 'SIGINT' ? 130 : 143
  } finally {
    await local.leave('the command has ended')
    await server.close()
  }
}
