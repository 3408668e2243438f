import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { useSite } from '../support/dashboard/visit.ts'
import { startWorkingTeam } from '../support/dashboard/working-team.ts'

/** `npm run screenshots` sets these: the pictures of the README, after some time of work. */
const FOLDER = process.env['PORTOLAN_SCREENSHOTS']
const SECONDS = Number(process.env['PORTOLAN_SCREENSHOTS_SECONDS'] ?? 4)

const site = useSite(async (later) => startWorkingTeam(later, SECONDS))

const LOOKS = { 'dashboard.png': 'light', 'dashboard-dark.png': 'dark' } as const

it.runIf(FOLDER)(
  'takes a picture of the dashboard in both themes',
  { timeout: 120_000 },
  async () => {
    const folder = resolve(FOLDER ?? '')
    mkdirSync(folder, { recursive: true })
    await site().visit('/', async (page) => {
      await page.locator('[data-figure="calls"]').first().waitFor()
      await page.evaluate('document.fonts.ready.then(() => undefined)')
      await page.setViewportSize({ width: 1440, height: 900 })
      for (const [file, colorScheme] of Object.entries(LOOKS)) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: join(folder, file) })
        expect(statSync(join(folder, file)).size).toBeGreaterThan(15_000)
      }
    })
  },
)
