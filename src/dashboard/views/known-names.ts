import { isGoodKey } from '../../identity/key-store.ts'
import type { KnownNames } from '../../identity/who-is.ts'
import type { Sources } from '../sources.ts'

/** What this gateway knows about names of agents and people, besides the rules. */
export async function knownNames({
  config: { rules, settings },
  keys,
  signIn,
}: Pick<Sources, 'config' | 'keys' | 'signIn'>): Promise<KnownNames> {
  const [all, users = []] = await Promise.all([
    keys.list(),
    signIn?.people?.users().then(async (directory) => directory.list()),
  ])
  const keyed = all.filter((key) => isGoodKey(key)).map(({ agent }) => agent)
  return { rules, auth: settings.auth, keyed, users }
}
