import { type Duplex, duplexPair } from 'node:stream'
import type { App } from '../../app/app.ts'
import { type StdioFrontOptions, serveStdio } from '../../fronts/stdio.ts'
import { type SurfaceName, isSurfaceName } from '../../gateway/request.ts'
import type { JoinRequest } from '../../local/join.ts'
import { notesOnVariables } from '../../config/settings/former-names.ts'
import { openApp } from '../shared/open-app.ts'
import { untilStopped } from '../shared/serve/until-stopped.ts'
import { type ServeFlags, stayAlive } from './serve-flags.ts'

/** Serves the one client that started this process, on stdin and stdout. */
export async function overStdio(app: App, flags: ServeFlags): Promise<void> {
  const { stdin: input, stdout: output } = process
  const front = serveStdio(toFront(app, flags.surface, { input, output }))
  for (const line of notesOnVariables(process.env)) process.stderr.write(`${line}\n`)
  await stayAlive(app, flags)
  await Promise.race([front.ended, untilStopped(async () => void (await app.reload()))])
  await app.leave(front)
  process.exit(0)
}

/** Serves the client of a bridge, which goes on relaying. */
export async function serveInProcess({ surface }: JoinRequest): Promise<Duplex> {
  const app = await openApp({}, {})
  const [stream, other] = duplexPair()
  const front = serveStdio(
    toFront(app, surface !== undefined && isSurfaceName(surface) ? surface : undefined, {
      input: other,
      output: other,
    }),
  )
  await stayAlive(app, {})
  void front.ended
    .then(async () => app.leave(front))
    .finally(() => {
      other.end()
      stream.destroy()
    })
  return stream
}

function toFront(
  app: App,
  surface: SurfaceName | undefined,
  streams: Pick<StdioFrontOptions, 'input' | 'output'>,
): StdioFrontOptions {
  return {
    backend: app.backend,
    arrival: {
      transport: 'stdio',
      credential: process.env['PORTOLAN_KEY'],
      claimedAgent: undefined,
      headers: {},
      surface,
      projectPath: undefined,
      alone: true,
    },
    maxFrameBytes: app.config.settings.listen.maxBodyBytes,
    ...streams,
  }
}
