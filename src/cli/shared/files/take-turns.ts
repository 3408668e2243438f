import { type Workspace, userFile } from '../../../config/paths.ts'
import { withLock } from '../../../identity/safe-file.ts'

/**
 * Runs while no other command of this data folder changes files. Each reads a file and writes it
 * again, so two at once would lose what the first one wrote.
 */
export async function takeTurns<Result>(
  place: Workspace,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  return withLock(userFile('mcp', place), async () => work())
}
