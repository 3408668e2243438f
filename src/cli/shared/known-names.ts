import type { Config } from '../../config/load.ts'
import { signInMode } from '../../identity/incoming/sign-in-mode.ts'
import { isGoodKey } from '../../identity/key-store.ts'
import type { KnownNames } from '../../identity/who-is.ts'
import type { ConfigOptions } from './config-options.ts'
import { withKeys, withUsers } from './identity-stores.ts'

/** What the gateway of this configuration knows about names of agents and people. */
export async function knownNames(
  { rules, settings }: Pick<Config, 'rules' | 'settings'>,
  options: ConfigOptions,
): Promise<KnownNames> {
  const keys = await withKeys(options, async (store) => store.list())
  const users =
    signInMode(settings) === 'embedded'
      ? await withUsers(options, async (store) => store.list())
      : []
  const keyed = keys.filter((key) => isGoodKey(key)).map(({ agent }) => agent)
  return { rules, auth: settings.auth, keyed, users }
}
