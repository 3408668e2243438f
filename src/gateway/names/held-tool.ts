import { shellWord } from '../../base/text/shell-word.ts'
import { visible } from '../../base/text/visible.ts'
import { GatewayError } from '../errors.ts'
import type { DefinitionChange, Listing } from '../upstream.ts'

/** Returns the changes of a listing that do not apply until a person accepts them. */
export function heldIn({ drift }: Listing): readonly DefinitionChange[] {
  return drift?.changes.filter(({ held }) => held !== undefined) ?? []
}

/** Finds a tool or prompt that is not offered, because of a change that nobody has accepted. */
export function heldByName(
  listing: Listing,
  kind: string,
  name: string,
): DefinitionChange | undefined {
  return heldIn(listing).find(
    (one) => one.kind === kind && one.name === name && one.held?.hold === 'definition',
  )
}

/** The command with which a person sees what is held. */
export function reviewCommand(server: string): string {
  return `portolan server review ${shellWord(server)}`
}

/** The error of a call of a held tool or prompt. It repeats nothing of what the server wrote meanwhile. */
export function heldError(server: string, { kind, name, held }: DefinitionChange): GatewayError {
  const since = new Date(held?.since ?? 0).toISOString()
  const why = held?.rejected
    ? 'a person has rejected its new definition'
    : 'its definition is not the one that was accepted'
  return new GatewayError(
    'TOOL_NOT_FOUND',
    `${kind === 'tool' ? 'Tool' : 'Prompt'} '${visible(name)}' of server '${server}' is held since ${since}: ${why}`,
    {
      hint: `Ask your operator, who sees what has changed with: ${reviewCommand(server)}`,
      reason: 'tool_held',
      inconclusive: true,
      data: { held_since: since },
    },
  )
}
