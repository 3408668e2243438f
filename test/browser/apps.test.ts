import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import { openPage } from '../support/dashboard/a-page.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'

const SUPPORT = join(import.meta.dirname, '../support/apps')
const SERVERS = ['oslo', 'rome'] as const
const META_TOOLS = 6

let gateway: Opened
let script: string
let browser: Awaited<ReturnType<typeof launchChromium>>

beforeAll(async () => {
  const undo: (() => void | Promise<void>)[] = []
  gateway = await openGateway({
    servers: { oslo: server('oslo'), rome: server('rome') },
    rules: {
      agents: {
        guest: {
          allow: { servers: ['*'] },
          deny: { tools: { oslo: ['erase_*'], rome: ['erase_*', 'refresh_*'] } },
        },
        resident: { allow: { servers: ['*'] }, deny: { servers: ['rome'] } },
      },
    },
    later: (step) => undo.unshift(step),
  })
  script = await bundleHost()
  browser = await launchChromium()
  return async () => {
    await browser.close()
    for (const step of undo) await step()
  }
})

function server(name: string) {
  return { command: process.execPath, args: [join(SUPPORT, 'server.mjs'), '--name', name] }
}

/** The host as one file, as a web application would ship it. */
async function bundleHost(): Promise<string> {
  const bundle = await rolldown({ input: join(SUPPORT, 'host.mjs'), platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  return output[0].code
}

/** Opens the host, which talks to the gateway on its default surface. */
async function openHost(query: string) {
  const opened = await openPage(browser)
  const { page } = opened
  page.setDefaultTimeout(60_000)
  await page.route('**/host.html*', async (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><link rel="icon" href="data:,"><script type="module" src="host.js"></script>',
    }),
  )
  await page.route('**/host.js', async (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  )
  await page.goto(`${gateway.url}/host.html?${query}`)
  await page.waitForFunction('globalThis.isDone === true')
  return opened
}

async function toolNames(page: Page, list: 'all' | 'forModel'): Promise<string[]> {
  return page.evaluate(`globalThis.tools.${list}.map(({ name }) => name)`)
}

it.each(['legacy', 'modern'])(
  'two apps with one URI show their own pages and call their own tools, in the %s era',
  async (era) => {
    const { page, complaints, close } = await openHost(`era=${era}&agent=guest`)
    for (const name of SERVERS) {
      const frame = page.frameLocator(`iframe[name="${name}__show_map"]`)
      await frame.getByRole('heading', { name: `The page of ${name}` }).waitFor()
      await frame.getByText(`show_map of ${name}`).waitFor()
    }
    const text = async (name: string, id: string) => {
      const place = page.frameLocator(`iframe[name="${name}__show_map"]`).locator(`#${id}`)
      await expect.poll(async () => place.textContent(), { timeout: 60_000 }).not.toBe('')
      return place.textContent()
    }
    expect(await text('oslo', 'refreshed')).toBe('refresh_oslo of oslo')
    expect(await text('rome', 'refreshed')).toMatch(/^refused: /)
    for (const name of SERVERS) expect(await text(name, 'erased')).toMatch(/^refused: /)
    expect(complaints).toEqual([])
    await close()
  },
)

it('lists the tools of apps beside the discovery tools, and only for hosts of apps', async () => {
  const { page, close } = await openHost('era=modern&agent=guest')
  expect((await toolNames(page, 'forModel')).slice(META_TOOLS)).toEqual([
    'oslo__show_map',
    'rome__show_map',
  ])
  expect((await toolNames(page, 'all')).slice(META_TOOLS)).toEqual([
    'oslo__show_map',
    'refresh_oslo',
    'rome__show_map',
  ])
  await close()
  const resident = await openHost('era=modern&agent=resident')
  expect((await toolNames(resident.page, 'all')).slice(META_TOOLS)).toEqual([
    'oslo__show_map',
    'refresh_oslo',
    'erase_oslo',
  ])
  await resident.close()
  const plain = await openHost('era=modern&agent=guest&extension=none')
  expect(await toolNames(plain.page, 'all')).toHaveLength(META_TOOLS)
  await plain.close()
})
