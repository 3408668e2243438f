import { type Duplex, duplexPair } from 'node:stream'
import type { App } from '../../app/app.ts'
import { type StdioFrontOptions, serveStdio } from '../../fronts/stdio.ts'
import { isSurfaceName } from '../../gateway/request.ts'
import type { JoinRequest } from '../../local/join.ts'
import { notesOnVariables } from '../../config/settings/former-names.ts'
import { openApp } from '../shared/open-app.ts'
import { untilStopped } from '../shared/serve/until-stopped.ts'
import { type ServeFlags, mustHave, stayAlive } from './serve-flags.ts'

/** Serves the one client that started this process, on stdin and stdout. */
export async function overStdio(app: App, flags: ServeFlags): Promise<void> {
  const { stdin: input, stdout: output } = process
  await mustHave(app, flags.toolset)
  const front = serveStdio(toFront(app, flags, { input, output }))
  for (const line of notesOnVariables(process.env)) process.stderr.write(`${line}\n`)
  await stayAlive(app, flags)
  await Promise.race([front.ended, untilStopped(async () => void (await app.reload()))])
  await app.leave(front)
  process.exit(0)
}

/** Serves the client of a bridge, which goes on relaying. */
export async function serveInProcess({ surface: asked, toolset }: JoinRequest): Promise<Duplex> {
  const app = await openApp({}, {})
  await mustHave(app, toolset)
  const [stream, other] = duplexPair()
  const surface = asked !== undefined && isSurfaceName(asked) ? asked : undefined
  const front = serveStdio(toFront(app, { surface, toolset }, { input: other, output: other }))
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
  { surface, toolset }: Pick<ServeFlags, 'surface' | 'toolset'>,
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
      toolset,
      projectPath: undefined,
      alone: true,
    },
    maxFrameBytes: app.config.settings.listen.maxBodyBytes,
    ...streams,
  }
}
