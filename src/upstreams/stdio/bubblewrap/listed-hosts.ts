import { compilePattern } from '../../../base/text/glob.ts'

/** What the resolver of a sandbox writes about a host that is not listed. */
export const REFUSED_HOST = 'portolan-sandbox: refused host'

/** What an entry of a list allows: a host at the ports of HTTP, or at its own. */
export interface ListedHost {
  readonly matches: (host: string) => boolean
  readonly ports: readonly number[]
  /** Whether the host may be on this network: a person who gives a port knows it. */
  readonly isOwn: boolean
}

const HTTP_PORTS = [80, 443]

export function toListed(hosts: readonly string[]): ListedHost[] {
  return hosts.map((entry) => {
    const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
    const isOwn = port !== undefined
    return {
      matches: compilePattern(name.toLowerCase()),
      ports: isOwn ? [Number(port)] : HTTP_PORTS,
      isOwn,
    }
  })
}
