import type { Role } from '../gateway/call.ts'

export const ROLES = ['admin', 'viewer', 'agent'] as const satisfies readonly Role[]

/** Returns the role that a claim names; an unknown one counts as `agent`. */
export function toRole(claim: unknown): Role {
  return ROLES.find((role) => role === claim) ?? 'agent'
}

/** Which groups of people may run the dashboard, and which may read it. */
export interface RoleGroups {
  readonly adminGroups: readonly string[]
  readonly viewerGroups: readonly string[]
}

/** Returns the role of a person by their groups. */
export function roleByGroups(
  groups: readonly string[],
  { adminGroups, viewerGroups }: RoleGroups,
): Role {
  if (groups.some((group) => adminGroups.includes(group))) return 'admin'
  return groups.some((group) => viewerGroups.includes(group)) ? 'viewer' : 'agent'
}

/** Returns the role that may do more. */
export function higherRole(one: Role, other: Role): Role {
  return ROLES.indexOf(one) <= ROLES.indexOf(other) ? one : other
}
