import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { execute } from '../support/clients/talk.ts'
import { gravely } from '../support/dashboard/axe.ts'
import { as, openDashboard } from '../support/dashboard/open-dashboard.ts'
import { useSite } from '../support/dashboard/visit.ts'

const ORDERS = {
  command: process.execPath,
  args: [join(import.meta.dirname, '../support/orders-server.mjs')],
}
const ALL = { allow: { servers: ['*'] } }

const site = useSite(async (later) => {
  const gateway = await openDashboard({
    later,
    servers: { orders: ORDERS },
    rules: {
      agents: {
        dashboard: ALL,
        ada: ALL,
        robin: { ...ALL, deny: { tools: { orders: ['report'] } } },
      },
    },
  })
  await gateway.ask('POST /servers/:server/test', {
    params: { server: 'orders' },
    body: { timeoutMs: 20_000 },
  })
  await gateway.ask('POST /capture', { body: { on: true } })
  const ada = await as(gateway, 'ada', 'surface=discover')
  await execute(ada, 'orders', 'find_orders', { region: 'moon', where: { paid: true } }).catch(
    () => undefined,
  )
  return gateway
})

const VIEWS = [
  { width: 1440, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
] as const

async function result(page: Page) {
  return page.getByRole('region', { name: 'Result of Run 1, as a table' })
}

it.each(VIEWS)('runs a tool by a form, at $width px, $scheme', async (view) => {
  await site().visitAsOwner(
    '/run?server=orders&tool=find_orders',
    async (page) => {
      const labels = page.locator('.run-form label b, .run-form legend b')
      await labels.first().waitFor()
      expect(await labels.allInnerTexts()).toEqual([
        'region',
        'where',
        'paid',
        'above',
        'note',
        'tags',
      ])
      await page.getByLabel('region').selectOption('us')
      await page.getByLabel('paid').selectOption('true')
      await page.getByLabel('above').fill('2.5')
      await page.getByRole('button', { name: 'Add to tags' }).click()
      await page.getByRole('textbox', { name: '1' }).fill('late')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      const table = await result(page)
      await table.waitFor()
      expect(await table.innerText()).toMatch(/id\s+region\s+paid\s+tags\s+1\s+us\s+true\s+late/)
      expect(await gravely(page)).toEqual([])
      await page.getByRole('button', { name: 'JSON' }).first().click()
      const json = await page.getByLabel('A JSON object').inputValue()
      expect(JSON.parse(json)).toEqual({
        region: 'us',
        where: { paid: true, above: 2.5 },
        tags: ['late'],
      })
    },
    view,
  )
})

it('runs a tool with the keyboard alone, and shows Markdown and images', async () => {
  await site().visitAsOwner('/run?server=orders', async (page) => {
    await page.getByLabel('Tool').focus()
    await page.keyboard.type('report')
    await page.locator('.run-form').waitFor()
    const run = page.getByRole('button', { name: 'Run', exact: true })
    for (let tabs = 0; tabs < 20; tabs += 1) {
      if (await run.evaluate((button) => button === button.ownerDocument.activeElement)) break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.locator('.markdown strong', { hasText: 'paid' }).waitFor()
    await page.getByRole('img', { name: 'Image of type image/png' }).waitFor()
    expect(await page.getByRole('link', { name: 'the shop' }).getAttribute('rel')).toContain(
      'noopener',
    )
  })
})

it('runs as an agent of your choice, and shows the rule that denies it', async () => {
  await site().visitAsOwner('/run?server=orders&tool=report', async (page) => {
    await page.getByLabel('As agent').selectOption('robin')
    await page.getByText('robin may not call it').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('agents.robin.deny.tools.orders[0]').waitFor()
    expect(await page.getByText('DENIED_BY_POLICY').count()).toBe(1)
  })
})

it.each(VIEWS)(
  'runs a failed call again, edited, and compares, at $width px, $scheme',
  async (view) => {
    await site().visitAsOwner(
      '/audit?tool=find_orders&agent=ada',
      async (page) => {
        await page.locator('.virtual-body .virtual-row').last().click()
        await page.getByRole('link', { name: 'Run it again, or edit and run' }).click()
        const recorded = page.getByRole('region', { name: 'Recorded call' })
        await recorded.getByText('there is no region "moon"').waitFor()
        expect(await page.getByLabel('As agent').inputValue()).toBe('ada')
        await page.getByLabel('region').selectOption('eu')
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await (await result(page)).waitFor()
        await page.getByText('results differ').waitFor()
        const changes = page.getByRole('region', { name: 'Changes of Recorded call → Run 1' })
        expect(await changes.locator('.removed').first().innerText()).toContain('isError')
        expect(await gravely(page)).toEqual([])
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await page.getByText('same result').waitFor()
      },
      view,
    )
  },
)

it('lets a reader without a session see the form, and run nothing', async () => {
  await site().visit('/run?server=orders&tool=report', async (page) => {
    await page.getByText('Only admins who have signed in run tools').waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0)
  })
})
