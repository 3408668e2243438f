import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it, vi } from 'vitest'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import type { Later } from '../support/temp-folder.ts'

const BLOCK = join(import.meta.dirname, '../support/block-loop.cjs')

/** A gateway whose loop a signal blocks, with its watchdog up. */
async function open(later: Later, env: Record<string, string> = {}): Promise<Opened> {
  const gateway = await openGateway({
    servers: { one: stdioUpstream() },
    args: ['--debug'],
    env: { NODE_OPTIONS: `--require ${BLOCK}`, PORTOLAN_WATCHDOG_BLOCKED_MS: '4000', ...env },
    later,
  })
  await vi.waitUntil(() => gateway.log().includes('The watchdog is running'), { timeout: 60_000 })
  return gateway
}

// All of them mostly wait.
describe.concurrent('the watchdog', { timeout: 120_000 }, () => {
  it('ends a process whose event loop is blocked, and says where', async ({
    expect,
    onTestFinished,
  }) => {
    const gateway = await open(onTestFinished)
    const ended = once(gateway.child, 'exit')
    gateway.child.kill('SIGUSR2')
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(gateway.log()).toContain('The event loop is blocked')
    expect(gateway.log()).toContain('blockedByTheTest')
    expect(gateway.log()).toContain('Ending the process (SIGKILL, exit code 137)')
  })

  it('ends it inside a regular expression, too', async ({ expect, onTestFinished }) => {
    const gateway = await open(onTestFinished, { BLOCK_IN: 'pattern' })
    const ended = once(gateway.child, 'exit')
    gateway.child.kill('SIGUSR2')
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(gateway.log()).toContain('The event loop is blocked')
  })

  it('lets a process live that was stopped', async ({ expect, onTestFinished }) => {
    const gateway = await open(onTestFinished)
    gateway.child.kill('SIGSTOP')
    await sleep(7_000)
    gateway.child.kill('SIGCONT')
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
    expect(gateway.log()).not.toContain('blocked')
  })

  it('lets a process live that was blocked for a shorter time', async ({
    expect,
    onTestFinished,
  }) => {
    const gateway = await open(onTestFinished, { BLOCK_MS: '3000' })
    gateway.child.kill('SIGUSR2')
    await sleep(7_000)
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
  })
})
