import type { Environment } from '../../base/environment.ts'
import { loadParts } from '../load.ts'
import { variablesIn } from '../secrets/variables.ts'

/**
 * Returns the names of the variables to which the servers of a folder refer: those of the person's
 * own file, and those of the folder's files that are trusted.
 */
export function variablesOf(cwd: string, env: Environment): string[] {
  const { layers } = loadParts({ cwd, env }).mcp
  return [...new Set(layers.flatMap(({ text = '' }) => variablesIn(text)))]
}
