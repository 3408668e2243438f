import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { PAGES } from '../support/dashboard/pages.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { startWorkingTeam } from '../support/dashboard/working-team.ts'

/** `npm run screenshots` sets these: a longer time of work, and a folder that is committed. */
const FOLDER = resolve(process.env['PORTOLAN_SCREENSHOTS'] ?? 'coverage/screenshots')
const SECONDS = Number(process.env['PORTOLAN_SCREENSHOTS_SECONDS'] ?? 4)

const site = useSite(async (later) => startWorkingTeam(later, SECONDS))

/** Kept with the documents: the picture of the README, in both themes. */
const KEPT = ['dashboard.png', 'dashboard-dark.png']

function wanted(file: string): boolean {
  return process.env['PORTOLAN_SCREENSHOTS'] === undefined || KEPT.includes(file)
}

const LOOKS = [
  { suffix: '', colorScheme: 'light', width: 1440, height: 900 },
  { suffix: '-dark', colorScheme: 'dark', width: 1440, height: 900 },
  { suffix: '-phone', colorScheme: 'light', width: 390, height: 844 },
] as const

const WITHOUT_RIGHTS = '/playground?agent=reviewer&server=files&tool=write_file'

it('takes a picture of every page, in both themes and on a phone', async () => {
  mkdirSync(FOLDER, { recursive: true })
  for (const { name, path, ready } of PAGES) {
    const looks = LOOKS.map((look) => ({
      ...look,
      file: `${toFile(name)}${look.suffix}.png`,
    })).filter(({ file }) => wanted(file))
    if (looks.length === 0) continue
    await site().visit(name === 'playground' ? WITHOUT_RIGHTS : path, async (page) => {
      await page.locator(ready).first().waitFor()
      await page.evaluate('document.fonts.ready.then(() => undefined)')
      for (const { file, colorScheme, width, height } of looks) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height })
        await page.screenshot({ path: join(FOLDER, file) })
        expect(statSync(join(FOLDER, file)).size).toBeGreaterThan(15_000)
      }
    })
  }
  console.log(`screenshots are in ${FOLDER}`)
}, 120_000)

function toFile(name: string): string {
  return name === 'overview' ? 'dashboard' : `dashboard-${name}`
}
