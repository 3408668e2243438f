import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder } from '../../config/paths.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { isRunning } from '../../local/alone.ts'
import { askGateway } from '../../local/connect.ts'
import { STOPPED } from '../../local/moved.ts'
import { openRunFolder } from '../../local/run-folder.ts'
import { readStatus } from './status.ts'

/** Calls in flight may take half a minute to end. */
const STOP_MS = 40_000
const LOOK_MS = 50

/** Stops the person's gateway, once its calls in flight have ended. */
export async function stopGateway(): Promise<void> {
  const { env } = process
  const run = openRunFolder(dataFolder({ cwd: process.cwd(), env }), env)
  const { gateway } = await readStatus()
  if (!gateway) return void process.stdout.write('No gateway runs.\n')
  await askGateway(run, 'leave', { why: STOPPED })
  const limit = performance.now() + STOP_MS
  while (isRunning(gateway.pid)) {
    if (performance.now() > limit)
      throw new GatewayError(
        'SERVER_BUSY',
        `The gateway (process ${gateway.pid}) has not ended yet`,
        {
          hint: `Its calls may need more time; \`kill ${gateway.pid}\` ends it at once.`,
        },
      )
    await sleep(LOOK_MS)
  }
  const again =
    gateway.clients.length > 0
      ? ' A client that is still open starts it again with its next request.'
      : ''
  process.stdout.write(`The gateway (process ${gateway.pid}) has stopped.${again}\n`)
}
