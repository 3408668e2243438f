import { sharedServicesFrom } from '../config/shared-services.ts'
import type { Settings } from '../config/settings/settings.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import { EFFECTS, type Effect, effectOf } from '../gateway/tools/effect.ts'
import type { Principal } from '../gateway/agents/policy.ts'
import { loginCookie } from '../dashboard/access/cookie.ts'
import { signInMode } from '../identity/incoming/sign-in-mode.ts'
import { type SignIn, createSignIn } from '../identity/incoming/sign-in.ts'
import type { KeyStore } from '../identity/key-store.ts'
import { sealFromEnvironment } from '../identity/vault/seal.ts'
import { recordSignIn } from '../dashboard/record-change.ts'
import type { World } from '../surfaces/world.ts'
import type { Environment } from '../base/environment.ts'
import type { ReplicaServices } from './shared.ts'

export interface SignInParts {
  readonly settings: Settings
  /** The settings as they are now. */
  readonly current: () => Settings
  readonly keys: KeyStore
  readonly shared: ReplicaServices
  readonly env: Environment
  readonly world: () => World
  readonly ledger: Ledger
}

/** Opens sign-in with the settings of the start; returns undefined, at no cost, if it is off. */
export function openSignIn({
  settings,
  current,
  keys,
  shared,
  env,
  world,
  ledger,
}: SignInParts): SignIn | undefined {
  const mode = signInMode(settings)
  if (mode === undefined) return undefined
  return createSignIn({
    settings,
    mode,
    keys,
    seal: sealFromEnvironment(env),
    roles: () => current().auth,
    sessionCookie: loginCookie,
    changes: shared.database?.signInChanges,
    serversOf: (who) => serversOf(world(), who),
    onAttempt: (attempt) => recordSignIn(ledger, attempt),
    async openStorage() {
      if (shared.storage) return { ...shared.storage, close: async () => undefined }
      const { openStorage } = await import('../storage/open-storage.ts')
      return openStorage({ home: settings.home, ...sharedServicesFrom(env) })
    },
  })
}

/** Lists the servers that the rules allow a person, for the page that asks for consent. */
function serversOf({ catalog, policy }: World, who: Principal) {
  return catalog.servers
    .filter(({ name }) => policy.server(who, name).effect === 'allow')
    .map(({ name, listing }) => {
      const allowed = listing.tools.filter(
        (tool) => policy.tool(who, name, tool.name).effect === 'allow',
      )
      const isDenied = (effect: Effect) => {
        const decision = policy.tool(who, name, EXAMPLES[effect])
        return decision.effect === 'deny' && decision.rule.includes('.deny.effects')
      }
      const effects =
        listing.tools.length > 0 ? allowed.map(effectOf) : EFFECTS.filter((one) => !isDenied(one))
      return { name, tools: allowed.length, effects }
    })
}

/** A name for each effect, which says it where the tools of a server are not known yet. */
const EXAMPLES: Readonly<Record<Effect, string>> = {
  read: 'get',
  write: 'update',
  delete: 'delete',
}
