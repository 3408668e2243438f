import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startBusyGateway } from '../support/dashboard/busy-gateway.ts'
import { gravely } from '../support/dashboard/axe.ts'
import { PAGES } from '../support/dashboard/pages.ts'
import { useSite } from '../support/dashboard/visit.ts'

const site = useSite(startBusyGateway)

async function background(page: Page): Promise<string> {
  return page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
}

it.each(PAGES)(
  '$path: axe finds nothing serious in either theme, and it fits every screen',
  async ({ path, ready }) => {
    await site().visit(path, async (page) => {
      await page.locator(ready).first().waitFor()
      const findings: string[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        findings.push(...(await gravely(page)))
      }
      expect(findings).toEqual([])
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 844 })
        // Charts take their new width in the frame after that of the window.
        await expect
          .poll(async () => page.evaluate('document.documentElement.scrollWidth - innerWidth'), {
            message: `wider than ${width}`,
          })
          .toBe(0)
      }
    })
  },
)

describe('the theme', () => {
  it('follows the system until another one is chosen, which is remembered', async () => {
    await site().visit(
      '/',
      async (page) => {
        const dark = await background(page)
        await page.emulateMedia({ colorScheme: 'light' })
        const light = await background(page)
        expect(light).not.toBe(dark)
        const toggle = page.getByRole('button', { name: /^Theme/ })
        await toggle.click()
        await toggle.click()
        expect(await toggle.innerText()).toBe('Dark')
        expect(await background(page)).toBe(dark)
        await page.reload()
        await page.getByRole('button', { name: /^Theme: Dark/ }).waitFor()
        expect(await background(page)).toBe(dark)
      },
      { scheme: 'dark' },
    )
  })

  it('moves nothing for those who want no motion', async () => {
    await site().visit('/', async (page) => {
      await page.emulateMedia({ reducedMotion: 'reduce' })
      const moving = await page.evaluate(
        `[...document.querySelectorAll('*')].filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0).length`,
      )
      expect(moving).toBe(0)
    })
  })
})

describe('the keyboard', () => {
  it('goes from the first key to the details of a call, without a mouse', async () => {
    await site().visit('/', async (page) => {
      await page.locator('[data-figure="calls"]').waitFor()
      await page.keyboard.press('Tab')
      const focused = page.locator(':focus')
      expect(await focused.innerText()).toBe('Skip to content')
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
      expect(outline).toBe('solid')
      await page.keyboard.press('Enter')
      expect(await focused.getAttribute('id')).toBe('main')
      await page.keyboard.press('g')
      await page.keyboard.press('u')
      await page.getByRole('heading', { name: 'Audit' }).waitFor()
      await page.getByRole('row', { name: /echo/ }).first().waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('crash')
      const grid = page.getByRole('grid')
      await expect.poll(async () => grid.getAttribute('aria-rowcount')).toBe('2')
      await grid.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByText('agents.grace.deny.tools.files[0]').first().waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    })
  })

  it('tells its shortcuts, and moves through the matrix of agents by arrows', async () => {
    await site().visit('/agents', async (page) => {
      await page.getByRole('grid').waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog').getByText('This help').waitFor()
      await page.keyboard.press('Escape')
      await page.locator('[data-cell="0:0"]').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowRight')
      expect(await page.locator(':focus').getAttribute('data-cell')).toBe('1:1')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByText('grace → weather').waitFor()
    })
  })

  it('reaches every page by g and its letter', async () => {
    await site().visit('/', async (page) => {
      await page.locator('[data-figure="calls"]').waitFor()
      for (const { key, path } of PAGES) {
        await page.keyboard.press('g')
        await page.keyboard.press(key)
        await expect
          .poll(() => new URL(page.url()).pathname)
          .toBe(new URL(path, page.url()).pathname)
      }
    })
  })
})
