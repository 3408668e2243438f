#!/usr/bin/env node
import module from 'node:module'
import { announceAlone } from '../local/alone.ts'
import { plainStart } from '../local/plain-start.ts'
import { runBridge } from '../local/run-bridge.ts'

// Node 22 and later can cache compiled code for later processes.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache()

void main().catch(async (error: unknown) => {
  ;(await import('./report-failure.ts')).reportFailure(error)
})

/**
 * A client waits for this process whenever it starts, and there may be many of them: one that only
 * relays to a running gateway loads nothing else.
 */
async function main(): Promise<void> {
  const request = process.stdin.isTTY
    ? undefined
    : plainStart(process.argv.slice(2), process.env, process.cwd())
  if (!request) return (await import('./start.ts')).start(undefined)
  const announce = (why: string) => announceAlone(request.home, request.env, why)
  const reason = await runBridge(request, async (why) => {
    announce(why)
    return (await import('./start.ts')).serveStream(request)
  })
  announce(reason)
  await (await import('./start.ts')).start(reason)
}
