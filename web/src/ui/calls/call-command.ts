import type { Call } from '../../../../src/dashboard/contract/calls.ts'

/**
 * Returns the shell command that repeats a call at this gateway, from any folder. Every word is
 * quoted where it has to be, because servers and agents choose the names.
 */
export function callCommand(call: CalledTool, args: string, endpoint = ''): string {
  const { server, tool } = call
  const where = endpoint === '' ? [] : ['--url', endpoint]
  return ['portolan', 'call', ...where, `${server}__${tool}`, args, ...callerOf(call)]
    .map(shellWord)
    .join(' ')
}

/** A handle cannot be shown here: what its holder called is called as the agent that minted it. */
function callerOf({ agent, client, isClient, onBehalfOf }: CalledTool): string[] {
  if (isClient && client !== null) return ['--client', client]
  const named = onBehalfOf?.at(-1) ?? agent
  return named === null ? [] : ['--agent', named]
}

type CalledTool = Pick<Call, 'agent' | 'client' | 'isClient' | 'onBehalfOf' | 'server' | 'tool'>

/** Quotes a word where a shell needs it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
