import { EFFECTS, type Effect } from '../../../gateway/tools/effect.ts'

const PREFIX = 'tools:'

/** The scopes of tokens: one for each effect of tools. */
export const SCOPES: readonly string[] = EFFECTS.map(toScope)

export function toScope(effect: Effect): string {
  return `${PREFIX}${effect}`
}

/** Returns the effects that the scopes of a token allow. */
export function toEffects(scope: string | undefined): readonly Effect[] {
  const held = new Set(scope?.split(' '))
  return EFFECTS.filter((effect) => held.has(toScope(effect)))
}

/** Adds all our scopes if a client asks for none of them, as it could do nothing otherwise. */
export function withOurScopes(scope: string | null): string {
  const asked = scope?.split(' ').filter(Boolean) ?? []
  return (asked.some((name) => SCOPES.includes(name)) ? asked : [...asked, ...SCOPES]).join(' ')
}
