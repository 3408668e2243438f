import type { Caller } from '../gateway/call.ts'
import { isLoopback } from '../base/net/net.ts'

export interface CredentialRule {
  /** `auth.required` of the settings. */
  readonly required: boolean | 'auto'
  /** The address the gateway is bound to; undefined when it does not listen. */
  readonly host?: string | undefined
  /** The address at which others reach it, as a proxy may forward network calls to loopback. */
  readonly publicUrl?: string | undefined
}

/**
 * Decides which callers need a credential. With "auto", only those from the network do: a caller
 * that starts its own process, or is on this machine, could read the keys anyway.
 */
export function credentialRequired({
  required,
  host,
  publicUrl,
}: CredentialRule): (caller: Caller) => boolean {
  const reached = publicUrl === undefined ? undefined : new URL(publicUrl).hostname
  const fromNetwork = required === 'auto' ? isNetwork(host) || isNetwork(reached) : required
  return ({ transport }) => {
    if (transport === 'in-process') return false
    return transport === 'stdio' ? required === true : fromNetwork
  }
}

function isNetwork(host: string | undefined): boolean {
  return host !== undefined && !isLoopback(host)
}
