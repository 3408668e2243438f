import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { gravely } from '../support/dashboard/axe.ts'
import { startBusyGateway } from '../support/dashboard/busy-gateway.ts'
import { useSite } from '../support/dashboard/visit.ts'

const site = useSite(startBusyGateway)

async function search(page: Page, label: string, words: string): Promise<string> {
  await page.getByLabel(label).fill(words)
  await page.getByLabel(label).press('Enter')
  const first = page.locator('.hit').first()
  await first.waitFor()
  return first.innerText()
}

describe('code', () => {
  it('is found and previewed with line numbers, and its indexes are listed', async () => {
    await site().visit('/code', async (page) => {
      const hit = await search(page, 'Search code', 'ShoppingCart totalPrice')
      expect(hit).toContain('src/cart.ts')
      expect(hit).toMatch(/class ShoppingCart/)
      expect(await page.locator('.line-number').first().innerText()).toMatch(/^\d+$/)
      expect(await page.locator('.source-line.marked').first().innerText()).toMatch(
        /ShoppingCart|total/i,
      )
      await page.getByRole('region', { name: 'Indexes' }).locator('tbody tr').first().waitFor()
      expect(new URL(page.url()).searchParams.get('q')).toBe('ShoppingCart totalPrice')
    })
  })

  it('is indexed from the page, which shows how far it is', async () => {
    const { gateway, visitAsOwner } = site()
    gateway.folder.write('other/harbour.ts', 'export function enterHarbour() {}\n')
    await visitAsOwner('/code', async (page) => {
      await page.getByLabel('Index a folder').fill(gateway.folder.file('other'))
      await page.locator('form').getByRole('button', { name: 'Index' }).click()
      const job = page.locator('.jobs li', { hasText: 'other' })
      await job.getByText('Done').waitFor({ timeout: 20_000 })
      const indexes = page.getByRole('region', { name: 'Indexes' }).locator('tbody tr')
      await expect.poll(async () => indexes.count()).toBe(2)
    })
  })
})

describe('knowledge', () => {
  it('opens a document at the passage that is cited, with what stands around it', async () => {
    await site().visit('/knowledge', async (page) => {
      await search(page, 'Search documents', 'late delivery of linings')
      await page.locator('.hit button').first().click()
      const cited = page.locator('.document-part.cited')
      await cited.waitFor()
      expect(await cited.innerText()).toContain('linings')
      expect(await page.locator('.document-part').count()).toBeGreaterThan(1)
      expect(await gravely(page)).toEqual([])
      await page.reload()
      await cited.waitFor()
    })
  })

  it('is searched with citations, and its documents are listed', async () => {
    await site().visit('/knowledge', async (page) => {
      await page.locator('.lead', { hasText: /1 document, \d+ passages/ }).waitFor()
      const hit = await search(page, 'Search documents', 'late delivery of linings')
      expect(hit).toContain('Hoist Maintenance Handbook')
      await page.getByRole('cell', { name: /Hoist Maintenance Handbook/ }).waitFor()
    })
  })

  it('takes a document in from the page', async () => {
    const { gateway, visitAsOwner } = site()
    const path = gateway.folder.write(
      'pilot.md',
      '# Pilot book\n\nThe bar is passed at high water with the church in line with the mill.\n',
    )
    await visitAsOwner('/knowledge', async (page) => {
      await page.getByLabel('Add a document').fill(path)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const job = page.locator('.jobs li', { hasText: 'pilot.md' })
      await job.getByText('Done').waitFor({ timeout: 20_000 })
      expect(await search(page, 'Search documents', 'church in line with the mill')).toContain(
        'Pilot book',
      )
    })
  })

  it('reads a document again, says which file failed, and deletes a document', async () => {
    const { gateway, visitAsOwner } = site()
    const path = gateway.folder.write('buoys.md', '# Buoys\n\nThe red buoy lies to port.\n')
    await visitAsOwner('/knowledge', async (page) => {
      const add = async (location: string) => {
        await page.getByLabel('Add a document').fill(location)
        await page.getByRole('button', { name: 'Add', exact: true }).click()
      }
      await add(path)
      await page.getByRole('cell', { name: /^Buoys/ }).waitFor({ timeout: 20_000 })
      gateway.folder.write('buoys.md', '# Buoys\n\nThe green buoy lies to starboard.\n')
      await page.getByRole('button', { name: 'Read again: Buoys' }).click()
      await expect
        .poll(
          async () => {
            await page.goto(`${gateway.url}/knowledge`)
            return search(page, 'Search documents', 'green buoy')
          },
          { timeout: 20_000 },
        )
        .toContain('starboard')
      await add(gateway.folder.file('none.md'))
      await page.locator('.job-errors code', { hasText: 'none.md' }).waitFor({ timeout: 20_000 })
      expect(await gravely(page)).toEqual([])
      await page.getByRole('button', { name: 'Delete Buoys' }).click()
      await page.getByRole('button', { name: 'Delete the document' }).click()
      await page.getByText('1 source deleted').waitFor()
      await page.getByRole('cell', { name: /^Buoys/ }).waitFor({ state: 'detached' })
    })
  })
})

describe('traces', () => {
  it('are browsed, searched and read', async () => {
    await site().visit('/traces', async (page) => {
      await page.getByRole('button', { name: /Connection pool exhausted/ }).waitFor()
      expect(await page.locator('.trace').count()).toBe(2)
      await page.getByLabel('Search traces').fill('keep-alive socket worker')
      await page.getByLabel('Search traces').press('Enter')
      const found = page.locator('.trace', { has: page.locator('.score') }).first()
      expect(await found.innerText()).toContain('Test runner hangs')
      await found.getByRole('button', { name: /Test runner/ }).click()
      await page.getByRole('dialog').getByText('unref its sockets').waitFor()
    })
  })

  it('are moderated by an administrator, and removed only on the second click', async () => {
    await site().visitAsOwner('/traces', async (page) => {
      await page.getByRole('button', { name: /Connection pool exhausted/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Approve' }).click()
      await dialog.getByText('validated', { exact: true }).waitFor()
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await dialog.getByRole('button', { name: 'Remove for good?' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await expect.poll(async () => page.locator('.trace').count()).toBe(1)
    })
  })
})
