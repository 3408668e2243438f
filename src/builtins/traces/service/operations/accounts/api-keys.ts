import { createHash, createHmac, randomBytes } from 'node:crypto'

export function newApiKey(): string {
  return `ct_${randomBytes(32).toString('base64url')}`
}

export function newInvitationCode(): string {
  return `ctinv_${randomBytes(16).toString('base64url')}`
}

/** Hashes a key for storage. */
export function hashKey(raw: string, pepper: string): string {
  return pepper === ''
    ? createHash('sha256').update(raw).digest('hex')
    : createHmac('sha256', pepper).update(raw).digest('hex')
}

/** Returns the possible stored hashes of a key: with the pepper, and from before it was set. */
export function keyHashes(raw: string, pepper: string): string[] {
  return [...new Set([hashKey(raw, pepper), hashKey(raw, '')])]
}

/** Normalises an address, without case and plus tag, so that one mailbox cannot vote twice. */
export function emailKey(email: string): string {
  const [name = '', domain = ''] = email.trim().toLowerCase().split('@')
  return `${name.replace(/\+.*/, '')}@${domain}`
}
