import type { Migration } from '../migrate.ts'
import { SHARED } from './shared.ts'
import { TRACES } from './traces.ts'

/** In the order of application. Never change a released migration; add a new one. */
export const MIGRATIONS: readonly Migration[] = [...TRACES, ...SHARED].toSorted((one, other) =>
  one.name < other.name ? -1 : 1,
)
