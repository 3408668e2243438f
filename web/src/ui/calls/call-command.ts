import type { Call } from '../../../../src/dashboard/contract/calls.ts'

/**
 * Returns the shell command that repeats a call. Every word is quoted where it has to be, because
 * servers and agents choose the names.
 */
export function callCommand({ agent, server, tool }: CalledTool, args: string): string {
  const who = agent === null ? [] : ['--agent', agent]
  return ['portolan', 'call', `${server}__${tool}`, args, ...who].map(shellWord).join(' ')
}

type CalledTool = Pick<Call, 'agent' | 'server' | 'tool'>

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
