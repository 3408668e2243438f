import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { gravely } from '../support/dashboard/axe.ts'
import { deferred } from '../support/deferred.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { SigningClient } from '../support/sign-in/signing-client.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import type { Later } from '../support/temp-folder.ts'

const site = useSite(async (later: Later) => startWithSignIn({}, { later }))

/** Where a client on the person's machine waits for the browser to come back. */
async function startCallback(): Promise<{ url: string; answer: Promise<URL> }> {
  const { promise: answer, resolve: arrive } = deferred<URL>()
  const http = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Done</title>Done')
    const url = new URL(request.url ?? '', 'http://127.0.0.1')
    if (url.pathname === '/callback') arrive(url)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.close()
    http.closeAllConnections()
  })
  const address = http.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `http://127.0.0.1:${port}/callback`, answer }
}

async function findings(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await gravely(page)))
  }
  return found
}

it('leads from the address through consent to the first call, on pages that everybody can use', async () => {
  const { gateway, browser } = site()
  const callback = await startCallback()
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  const person = new (class extends SigningClient {
    override async redirectToAuthorization(address: URL): Promise<void> {
      await page.goto(address.href)
      expect(await findings(page)).toEqual([])
      await page.getByLabel('Portolan key').fill('ptk_not-a-key')
      await page.getByRole('button', { name: 'Sign in with the key' }).click()
      await page.getByRole('alert').waitFor()
      expect(await findings(page)).toEqual([])
      await page.getByLabel('Portolan key').fill(gateway.key)
      await page.getByRole('button', { name: 'Sign in with the key' }).click()
      await page.getByRole('heading', { name: 'Connect Harbour Editor?' }).waitFor()
      expect(await findings(page)).toEqual([])
      await page.getByText('files').first().waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      this.answer = await callback.answer
    }
  })(`${gateway.url}/mcp`, async () => Promise.reject(new Error('Not this one')), callback.url)
  const startedAt = performance.now()
  const client = await person.connect()
  const call = { server: 'files', tool: 'echo', args: { text: 'ahoy' } }
  const said = await client.callTool({ name: 'execute_tool', arguments: call })
  expect(JSON.stringify(said)).toContain('ahoy')
  expect(performance.now() - startedAt).toBeLessThan(60_000)
  // A refused key is answered with 400, which Chromium reports; nothing else may be wrong.
  expect(complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([])
  await client.close()
  await page.context().close()
})
