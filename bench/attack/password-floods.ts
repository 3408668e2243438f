import { setTimeout as sleep } from 'node:timers/promises'
import { Browser } from '../../test/support/sign-in/browser.ts'
import { DASHBOARD_SIGN_IN, DashboardPerson } from '../../test/support/sign-in/dashboard-person.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { PASSWORD, createUser } from './users.ts'

const ATTEMPTS = 200
/** Without a limit the slowest page took eleven seconds; with one it takes a fraction of a second. */
const MAX_PAGE_MS = 3_000

/** Many anonymous attempts at once with names that nobody has, each of which costs a hash. */
export const passwordFloods: Attack = {
  name: 'password floods',
  async run(field) {
    const rig = await Rig.open({
      settings: { auth: { required: true, server: { enabled: true } } },
    })
    try {
      createUser(rig, 'ada')
      const browser = new Browser()
      const page = await browser.open(`${rig.url}${DASHBOARD_SIGN_IN}`, rig.url)
      const attempts = Array.from({ length: ATTEMPTS }, async (_, n) =>
        browser.submit(page, { action: 'password', user: `nobody-${n}`, password: 'wrong' }),
      )
      const flood = Promise.all(attempts)
      let slowest = 0
      while ((await Promise.race([flood, sleep(20)])) === undefined) {
        const startedAt = performance.now()
        await rig.get('/')
        slowest = Math.max(slowest, performance.now() - startedAt)
      }
      const answers = await flood
      const waits = answers.filter(({ status }) => status === 429)
      await field.try(
        `a page takes less than ${MAX_PAGE_MS} ms meanwhile`,
        () => slowest < MAX_PAGE_MS,
      )
      await field.try('nobody comes in', () =>
        answers.every(({ status }) => status === 400 || status === 429),
      )
      await field.try(
        'most attempts are asked to come back, and told when',
        () =>
          waits.length > ATTEMPTS / 2 &&
          waits.every(({ headers }) => Number(headers.get('retry-after')) > 0),
      )
      await field.try('afterwards people sign in as ever', async () => {
        const ada = await new DashboardPerson(rig.url).byPassword('ada', PASSWORD)
        return (await ada.ask('GET /me')).status === 200
      })
    } finally {
      await rig.discard()
    }
  },
}
