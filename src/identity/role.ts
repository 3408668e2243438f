import type { Role } from '../gateway/call.ts'

export const ROLES = ['admin', 'viewer', 'agent'] as const satisfies readonly Role[]

/** The role that a claim names; one that it does not know counts for nothing. */
export function toRole(claim: unknown): Role {
  return ROLES.find((role) => role === claim) ?? 'agent'
}

/** Which groups of people may run the dashboard, and which may read it. */
export interface RoleGroups {
  readonly adminGroups: readonly string[]
  readonly viewerGroups: readonly string[]
}

/** The role that a person has by their groups. */
export function roleByGroups(
  groups: readonly string[],
  { adminGroups, viewerGroups }: RoleGroups,
): Role {
  if (groups.some((group) => adminGroups.includes(group))) return 'admin'
  return groups.some((group) => viewerGroups.includes(group)) ? 'viewer' : 'agent'
}

/** Of two roles the one that may do more. */
export function higherRole(one: Role, other: Role): Role {
  return ROLES.indexOf(one) <= ROLES.indexOf(other) ? one : other
}
