/**
 * What a sandbox adds to the start of a server: from its start to its answer to the handshake, with
 * and without one in turn.
 *
 *   npm run bench -- sandbox
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Canceller } from '../src/base/flow/signal.ts'
import { openSandbox } from '../src/upstreams/stdio/bubblewrap/open-sandbox.ts'
import { connectStdio } from '../src/upstreams/stdio/connect-stdio.ts'
import { needBubblewrap } from '../test/support/bubblewrap.ts'
import { removeFolder } from '../test/support/temporary-folder.ts'
import { median, quantile, round } from './support/numbers.ts'

const ROUNDS = 40
const SERVER = resolve(import.meta.dirname, '../test/support/evaluating-server.mjs')

await needBubblewrap()
const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'))

async function start(isSandboxed: boolean): Promise<number> {
  const program = { command: process.execPath, args: [SERVER], env: {}, cwd: folder }
  const startedAt = performance.now()
  const opened = isSandboxed
    ? await openSandbox({
        program,
        sandbox: { read: [], write: [], env: [], network: 'any' },
        ownFolders: [],
        cacheFolder: join(folder, 'cache'),
      })
    : undefined
  const events = { request: async () => ({}), notification: () => undefined, log: () => undefined }
  const connect = connectStdio({
    ...(opened?.program ?? program),
    protocol: '2025-11-25',
    maxFrameBytes: 1 << 20,
  })
  const link = await connect(events, { owner: undefined, era: 'legacy', signal: new Canceller() })
  const took = performance.now() - startedAt
  await link.close()
  opened?.close()
  return took
}

const [without, within]: [number[], number[]] = [[], []]
await start(true)
for (let n = 0; n < ROUNDS; n += 1) {
  without.push(await start(false))
  within.push(await start(true))
}
removeFolder(folder)
const result = {
  rounds: ROUNDS,
  withoutMs: round(median(without)),
  withinMs: round(median(within)),
  addedMs: round(median(within) - median(without)),
  // What other programs of a busy machine add the least to.
  addedToFastestMs: round(quantile(within, 0.1) - quantile(without, 0.1)),
}
console.log(`RESULT ${JSON.stringify(result)}`)
