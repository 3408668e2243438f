import { type LoadOptions, type Parts, loadParts, rulesWarnings } from './load.ts'
import type { Problem } from './problem.ts'
import type { StoredVersion } from './stored.ts'
import type { Environment } from '../base/environment.ts'

export interface CheckedVersion {
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

const REFERENCE = /\$\{([A-Za-z_]\w*)/g
/** Passes where a URL is wanted, and as part of one. */
const STAND_IN = 'http://stand-in'

/**
 * Whether replicas could use these texts. They are read by the code that reads files, but without the
 * environment of whoever pushes: it may lack the variables of the replicas, or hide a bad setting
 * behind a good one of its own.
 */
export function checkStored(texts: StoredVersion['texts'], env: Environment): CheckedVersion {
  const latest: StoredVersion = { version: 0, texts }
  const options: LoadOptions = {
    cwd: '/',
    env: { HOME: env['HOME'], ...referenced(texts.mcp ?? '', env) },
    stored: { latest, onChange: () => () => {} },
  }
  const parts: Parts = loadParts(options)
  const problems = Object.values(parts).flatMap((part) => part.problems)
  return { problems, warnings: problems.length > 0 ? [] : rulesWarnings(parts) }
}

function referenced(text: string, env: Environment): Environment {
  const names = [...text.matchAll(REFERENCE)].map(([, name = '']) => name)
  return Object.fromEntries(names.map((name) => [name, env[name] ?? STAND_IN]))
}
