import { profileOfClient } from '../protocol/client-profiles.ts'

const MAX_LENGTH = 40

/** Returns an agent id for a client without credential and agent name, from its client name. */
export function agentOfClient(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const plain = name
    .slice(0, 200)
    .toLowerCase()
    // Proxies such as mcp-remote append their own name to the client's.
    .replace(/ \(.*$/, '')
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^[-._]+|[-._]+$/g, '')
  if (plain === '') return undefined
  return profileOfClient(plain)?.agent ?? plain
}
