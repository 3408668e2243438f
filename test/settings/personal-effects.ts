import { join } from 'node:path'
import { isObject } from '../../src/base/json/json.ts'
import { loadSettings } from '../../src/config/load.ts'
import { searchRegistries } from '../../src/config/servers/add/registry/read-registry.ts'
import { gatewayEnv } from '../support/gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Effects, effect } from './effect.ts'
import { openToy } from './open-toy.ts'

const SNAPSHOT = join(import.meta.dirname, '../fixtures/registry/snapshot.json')
const HELPER = [process.execPath, '-e', 'process.stdout.write(process.argv[1])', 'of {ref}']

/** Settings that are read from a person's own files and variables only. */
export const PERSONAL: Effects = {
  registries: effect(
    SNAPSHOT,
    async (env) => {
      const folder = tempFolder()
      const place = { cwd: folder.path, env: gatewayEnv(folder, env) }
      // No test asks a registry on the internet.
      const registries = loadSettings(place).registries.filter((one) => !one.startsWith('https:'))
      if (registries.length === 0) return []
      const { hits } = await searchRegistries(['airtable'], { registries, place })
      return hits.map(({ server }) => server.name)
    },
    [[], ['io.github.domdomegg/airtable-mcp-server']],
  ),
  'secrets.helpers': effect(
    JSON.stringify({ vault: HELPER }),
    async (env) => {
      const entry = { ...stdioUpstream(), env: { COLOUR: '${vault:colour}' } }
      const { call } = await openToy(env, { servers: { toy: entry } })
      const text = await call('toy__whoami')
      if (!text.startsWith('{')) return text
      const facts: unknown = JSON.parse(text)
      return isObject(facts) && isObject(facts['env']) && facts['env']['COLOUR']
    },
    ['SERVER_UNAVAILABLE', 'of colour'],
  ),
}
