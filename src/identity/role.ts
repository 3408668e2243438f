import type { Role } from '../gateway/call.ts'

export const ROLES = ['admin', 'viewer', 'agent'] as const satisfies readonly Role[]

/** The role that a claim names; one that it does not know counts for nothing. */
export function toRole(claim: unknown): Role {
  return ROLES.find((role) => role === claim) ?? 'agent'
}
