import { createHash, createHmac, randomBytes } from 'node:crypto'

export function newApiKey(): string {
  return `ct_${randomBytes(32).toString('base64url')}`
}

export function newInvitationCode(): string {
  return `ctinv_${randomBytes(16).toString('base64url')}`
}

/** How a key is stored: never as it is. */
export function hashKey(raw: string, pepper: string): string {
  return pepper === ''
    ? createHash('sha256').update(raw).digest('hex')
    : createHmac('sha256', pepper).update(raw).digest('hex')
}

/** The ways a key may be stored: with the pepper, or from before there was one. */
export function keyHashes(raw: string, pepper: string): string[] {
  return [...new Set([hashKey(raw, pepper), hashKey(raw, '')])]
}

/** The address without case and plus-tag, so that one mailbox cannot vote twice. */
export function emailKey(email: string): string {
  const [name = '', domain = ''] = email.trim().toLowerCase().split('@')
  return `${name.replace(/\+.*/, '')}@${domain}`
}
