import type { Duplex } from 'node:stream'
import { messageOf } from '../base/errors.ts'
import { proxyFetch } from '../base/net/proxy.ts'
import { fromCocoSearch } from '../builtins/code/cocosearch-names.ts'
import type { JoinRequest } from '../local/join.ts'
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'
import { endWithReader, guardTerminal } from './shared/terminal/guard-terminal.ts'

/** Runs the command line. `alone` is why this process cannot join the person's gateway. */
export async function start(alone: string | undefined): Promise<void> {
  endWithReader()
  guardTerminal(process.stdout)
  guardTerminal(process.stderr)
  try {
    await prepare()
    const program = await createProgram(process.argv.slice(2), alone)
    await program.parseAsync()
  } catch (error) {
    reportFailure(error)
  }
}

/** Serves the client of a bridge that finds no gateway any more, in the process of the bridge. */
export async function serveStream(request: JoinRequest): Promise<Duplex> {
  try {
    await prepare()
    const { serveInProcess } = await import('./serve/over-stdio.ts')
    return await serveInProcess(request)
  } catch (error) {
    reportFailure(error)
    return process.exit()
  }
}

async function prepare(): Promise<void> {
  Object.assign(process.env, fromCocoSearch(process.env))
  await proxyFetch().catch((error: unknown) => {
    // What needs no proxy still works, and every request that does says the same.
    process.stderr.write(`warn ${messageOf(error)}\n`)
  })
}
