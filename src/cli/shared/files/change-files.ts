import { hostname, userInfo } from 'node:os'
import { recordChanges } from '../../../config/history/record-changes.ts'
import type { Workspace } from '../../../config/paths.ts'

export interface ChangeOptions {
  /** What the version says about it, such as `server add github`. */
  readonly reason: string
  /** Files that may change, besides those of the data folder and of the working folder. */
  readonly files?: readonly (string | undefined)[]
}

/**
 * Runs `work` while no other command of this data folder changes files; what it changes is the next
 * version of the configuration. Each command reads a file and writes it again, so two at once would
 * lose what the first one wrote.
 */
export async function changeFiles<Result>(
  place: Workspace,
  { reason, files = [] }: ChangeOptions,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const named = files.filter((file) => file !== undefined)
  const info = { by: thisPerson(), reason, files: named }
  return (await recordChanges(place, info, async () => work())).result
}

/** Returns who runs this command. */
export function thisPerson(): string {
  return `${userInfo().username}@${hostname()}`
}
