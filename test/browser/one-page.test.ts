import { expect, it, onTestFinished } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { openPage } from '../support/dashboard/a-page.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { sharedHome } from '../support/shared-home.ts'
import { stdioUpstream } from '../support/start.ts'

const CLIENTS = {
  'claude-code': 'claude-code',
  'codex-mcp-client': 'codex',
  'gemini-cli-mcp-client': 'gemini',
  opencode: 'opencode',
}

it('`portolan dashboard` shows the calls of all clients that share the gateway, signed in', async () => {
  const home = sharedHome({ one: stdioUpstream() })
  // Nothing runs yet: this starts it.
  const printed = await home.run('dashboard', '--no-browser')
  expect(printed.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#open=ptl_/)
  const { origin } = new URL(printed.stdout.trim())
  for (const name of Object.keys(CLIENTS)) {
    const client = await home.open({ name })
    expect(textOf(await call(client, 'echo', { text: 'hello' }))).toBe('hello')
  }

  const browser = await launchChromium()
  onTestFinished(async () => browser.close())
  const { page, complaints, close } = await openPage(browser)
  await page.goto(printed.stdout.trim())
  await page.locator('.who', { hasText: 'Admin' }).waitFor()
  await page.getByRole('link', { name: 'Agents' }).click()
  for (const agent of Object.values(CLIENTS))
    await page.locator('tbody tr', { hasText: agent }).first().waitFor()
  await page.getByRole('link', { name: 'Live calls' }).click()
  for (const agent of Object.values(CLIENTS))
    await page.getByRole('row', { name: new RegExp(`${agent}.*echo`) }).waitFor()
  expect(complaints).toEqual([])
  await close()

  // It is a page: no client connects here, and whoever comes without the link changes nothing.
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  for (const path of ['/mcp', '/sse', '/messages'])
    expect((await fetch(`${origin}${path}`, { method: 'POST', body })).status).toBe(404)
  const asked = await dashboardOf(origin)('POST /config/reload')
  expect(asked.failure.code).toBe('SESSION_REQUIRED')
})

it('commands act on the gateway in the background without opening a port', async () => {
  const home = sharedHome({ one: stdioUpstream() })
  const client = await home.open()
  const pidOf = async () => JSON.parse(textOf(await call(client, 'whoami', {})))['pid']
  const before = await pidOf()
  const restarted = await home.run('server', 'restart', 'one')
  expect(restarted.stdout).toContain('one was restarted')
  await expect.poll(pidOf).not.toBe(before)
  const listed = await home.run('server', 'list')
  expect(listed.stdout + listed.stderr).toContain('States of the gateway in the background')
  const status = await home.run('status', '--json')
  expect(JSON.parse(status.stdout)['gateway']['dashboardUrl']).toBeNull()
})
