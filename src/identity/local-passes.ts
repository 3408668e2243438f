import { createHmac, randomBytes } from 'node:crypto'
import { isSame } from '../base/secrets/is-same.ts'

export const PASS_PREFIX = 'ptl_'

/**
 * What a pass is for: `command`: a request of our own command line; `link`: the address that opens
 * the pages; `session`: a browser that came by such an address.
 */
export type PassPurpose = 'command' | 'link' | 'session'

const VALID_MS: Readonly<Record<PassPurpose, number>> = {
  command: 60_000,
  link: 5 * 60_000,
  session: 12 * 3_600_000,
}

/**
 * Passes of the person whose data folder this is: whoever can read its secret can make them, which
 * other users of the machine cannot.
 *
 * A pass names the port of its gateway. A program of another user that listens there while the
 * gateway is down may be handed one, so the gateway accepts no command or link made before it started.
 */
export interface LocalPasses {
  issue(purpose: PassPurpose, port: number): string
  /** Whether a pass is good for the gateway of this process. */
  accepts(pass: string, purpose: PassPurpose, port: number): boolean
  /** Exchanges a link, which works once, for a session; undefined if the link is not good. */
  redeem(link: string, port: number): string | undefined
  /**
   * Returns what pages send with every change, beside the cookie that holds the session: browsers
   * send a cookie to every port of this machine, but pages of other ports cannot read this proof.
   */
  proofOf(session: string): string
}

/** Creates the passes of one data folder; `secret` is read with the first of them. */
export function createLocalPasses(secret: () => Buffer, startedAt = Date.now()): LocalPasses {
  /** Links that were used, with the time at which they expire anyway. */
  const used = new Map<string, number>()
  const sign = (text: string) => createHmac('sha256', secret()).update(text).digest('base64url')
  const signed = (body: string, purpose: PassPurpose, port: number) =>
    `${PASS_PREFIX}${body}.${sign(`${purpose} ${port} ${body}`)}`

  function issue(purpose: PassPurpose, port: number): string {
    const body = `${Date.now().toString(36)}.${randomBytes(16).toString('base64url')}`
    return signed(body, purpose, port)
  }

  function accepts(pass: string, purpose: PassPurpose, port: number): boolean {
    const body = pass.slice(PASS_PREFIX.length, pass.lastIndexOf('.'))
    if (!isSame(Buffer.from(pass), Buffer.from(signed(body, purpose, port)))) return false
    const issuedAt = parseInt(body, 36)
    const isOfThisRun = purpose === 'session' || issuedAt >= startedAt
    return isOfThisRun && Math.abs(Date.now() - issuedAt) <= VALID_MS[purpose]
  }

  return {
    issue,
    accepts,
    redeem(link, port) {
      const now = Date.now()
      for (const [old, until] of used) if (until < now) used.delete(old)
      if (used.has(link) || !accepts(link, 'link', port)) return undefined
      used.set(link, now + 2 * VALID_MS.link)
      return issue('session', port)
    },
    proofOf: (session) => sign(`proof ${session}`),
  }
}
