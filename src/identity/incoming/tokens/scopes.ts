import { EFFECTS, type Effect } from '../../../gateway/tools/effect.ts'

const PREFIX = 'tools:'

/** What a token may be good for: one scope for each thing that tools do. */
export const SCOPES: readonly string[] = EFFECTS.map(toScope)

export function toScope(effect: Effect): string {
  return `${PREFIX}${effect}`
}

/** What the scopes of a token let tools do. */
export function toEffects(scope: string | undefined): readonly Effect[] {
  const held = new Set(scope?.split(' '))
  return EFFECTS.filter((effect) => held.has(toScope(effect)))
}

/** Scopes as a client asked for them; one that names none of ours asks for all: it could do nothing otherwise. */
export function withOurScopes(scope: string | null): string {
  const asked = scope?.split(' ').filter(Boolean) ?? []
  return (asked.some((name) => SCOPES.includes(name)) ? asked : [...asked, ...SCOPES]).join(' ')
}
