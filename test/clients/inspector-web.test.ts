import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { auditOf } from '../support/audit-of.ts'
import { launchChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { installClient } from '../support/install-client.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RULES = {
  agents: { ada: { allow: { servers: ['*'] }, ask: { tools: { one: ['echo'] } } } },
}

/** Starts the Inspector's web application for one server, and returns its address with its token. */
async function startInspector(args: readonly string[]): Promise<string> {
  const inspector = await installClient('@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector')
  const home = tempFolder()
  const child = spawn(inspector, args, {
    cwd: home.path,
    env: {
      PATH: process.env['PATH'],
      HOME: home.path,
      CLIENT_PORT: String(await freePort()),
      MCP_SANDBOX_PORT: '0',
      MCP_APP_ORIGIN_PORT: '0',
      MCP_AUTO_OPEN_ENABLED: 'false',
      MCP_INSPECTOR_SECRET_STORE: 'memory',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /http:\S+MCP_INSPECTOR_API_TOKEN=\S+/.exec(line)?.[0]
      if (address !== undefined) resolve(address)
    })
    child.once('exit', () => reject(new Error('it ended before it printed its address')))
  })
}

/** Opens a page in a real browser, which loads nothing from outside this machine. */
async function openPage(url: string): Promise<Page> {
  const browser = await launchChromium()
  onTestFinished(async () => browser.close())
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
  page.setDefaultTimeout(30_000)
  // The Inspector's fonts are at Google.
  await page.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    async (route) => route.abort(),
  )
  await page.goto(url)
  return page
}

/** What the audit says of approvals, and through which way each was answered. */
function approvalsOf(gateway: Opened): string[] {
  const entries = auditOf(gateway).filter(({ operation }) => operation === 'approvals')
  return entries.map(({ metadata }) => {
    const { outcome, arguments: details } = Object(metadata)
    const { via } = JSON.parse(details)
    return via === undefined ? outcome : `${outcome} via ${via}`
  })
}

it.each([
  ['legacy', '2025-11-25'],
  ['modern', '2026-07-28'],
])(
  'a person at the Inspector sees the arguments of a call, approves one and declines another, %s',
  async (era, version) => {
    const gateway = await openGateway({ servers: { one: stdioUpstream() }, rules: RULES })
    const server = `--transport http --server-url ${gateway.url}/mcp?surface=direct`
    const who = ['--header', 'x-agent-id: ada']
    const page = await openPage(
      await startInspector([...server.split(' '), '--protocol-era', era, ...who]),
    )
    // The input of the switch is hidden behind its picture.
    await page.getByRole('switch', { name: 'Connect or disconnect' }).click({ force: true })
    await page.getByText(`MCP ${version}`).waitFor()
    await page.getByText('Tools', { exact: true }).click()
    await page.getByRole('button', { name: 'The tool echo' }).click()

    const results = page
      .getByRole('main')
      .filter({ has: page.getByRole('heading', { name: 'Results' }) })
    const callAndAnswer = async (text: string, button: string) => {
      await page.getByRole('textbox', { name: 'text' }).fill(text)
      await page.getByRole('button', { name: 'Execute Tool' }).click()
      const question = page.getByRole('dialog', { name: 'Elicitation Request' })
      await question.getByText('ada wants to call one.echo').waitFor()
      await question.getByText(`Arguments: {"text":"${text}"}`).waitFor()
      // Whoever declines within a second has not read the question, and does not count as a person.
      await setTimeout(2_000)
      expect(await results.count(), 'the call waits').toBe(0)
      await question.getByRole('button', { name: button }).click()
    }

    await callAndAnswer('ahoy, approved', 'Submit')
    await results.getByText('ahoy, approved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close results' }).click()

    await callAndAnswer('ahoy, declined', 'Decline')
    await results.getByRole('alert').filter({ hasText: 'denied this call' }).waitFor()
    expect(await results.getByText('ahoy, declined').count()).toBe(0)

    const trail = ['asked', 'approved via client', 'used', 'asked', 'denied via client']
    await expect.poll(() => approvalsOf(gateway)).toEqual(trail)
  },
)
