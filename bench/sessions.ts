/**
 * Measures the cost of an idle client: the memory of the gateway with a thousand of them, less its
 * memory before. Clients up to 2025-11-25 have a session and a stream for server messages; later
 * ones have no session, and a stream only if they listen.
 *
 *   npm run bench -- sessions [--clients 1000]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openHttp } from '../test/support/clients/wires.ts'
import { stdioUpstream } from '../test/support/start.ts'
import { rssMb, startGateway, toCommand } from './load/processes.ts'
import type { Era } from './load/session.ts'
import { round, table } from './support/numbers.ts'

const { values } = parseArgs({ options: { clients: { type: 'string', default: '1000' } } })
const count = Number(values.clients)
const AT_ONCE = 20
/** Long enough for garbage of the handshakes to be collected. */
const SETTLE_MS = 5_000

async function kilobytesPerClient(era: Era): Promise<number> {
  const gateway = await startGateway(toCommand('node dist/cli/main.js'), {
    one: stdioUpstream(),
  })
  const connect = async () => {
    const client = await openHttp(era, gateway.url, { 'x-agent-id': 'bench' })
    if (era === 'modern') await client.subscribe([])
    return client
  }
  // The first clients include the cost of modules that are loaded once.
  const clients = await Promise.all(Array.from({ length: AT_ONCE }, connect))
  await sleep(SETTLE_MS)
  const before = rssMb(gateway.pid)
  for (let opened = 0; opened < count; opened += AT_ONCE)
    clients.push(...(await Promise.all(Array.from({ length: AT_ONCE }, connect))))
  await sleep(SETTLE_MS)
  const grown = rssMb(gateway.pid) - before
  await Promise.all(clients.map(async (client) => client.close()))
  await gateway.stop()
  gateway.discard()
  return (grown * 1024) / count
}

const legacy = round(await kilobytesPerClient('legacy'), 1)
const modern = round(await kilobytesPerClient('modern'), 1)
console.log(
  table(
    ['client', 'kB each'],
    [
      ['2025-11-25, session and stream', String(legacy)],
      ['2026-07-28, listening', String(modern)],
    ],
  ),
)
console.log(
  `RESULT ${JSON.stringify({ clients: count, legacySessionKb: legacy, listeningKb: modern })}`,
)
process.exit(0)
