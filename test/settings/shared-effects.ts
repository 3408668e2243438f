import { setTimeout as wait } from 'node:timers/promises'
import { whyAlone } from '../../src/cli/serve/why-alone.ts'
import { loadSettings } from '../../src/config/load.ts'
import { sharedHome } from '../support/shared-home.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Effects, effect } from './effect.ts'

/** The section `shared`. */
export const SHARED: Effects = {
  'shared.enabled': effect(
    'false',
    async (env) => {
      const place = { cwd: tempFolder().path, env }
      return whyAlone({}, place, loadSettings(place)) ?? 'joins'
    },
    ['joins', 'shared.enabled is false'],
  ),
  'shared.idleMs': effect(
    '50',
    async (env) => {
      const home = sharedHome({})
      const client = await home.open({ env })
      await client.close()
      // Without the setting it would be there for ten minutes.
      const until = Date.now() + (env['PORTOLAN_SHARED_IDLE_MS'] === undefined ? 1000 : 60_000)
      while (Date.now() < until) {
        // oxlint-disable-next-line no-await-in-loop -- One look after the other.
        if ((await home.gateway()) === undefined) return 'has ended'
        // oxlint-disable-next-line no-await-in-loop -- One look after the other.
        await wait(50)
      }
      return 'goes on'
    },
    ['goes on', 'has ended'],
  ),
}
