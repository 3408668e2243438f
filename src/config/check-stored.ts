import { type LoadOptions, type Parts, loadParts, rulesWarnings } from './load.ts'
import type { Problem } from './problem.ts'
import type { StoredVersion } from './stored.ts'
import type { Environment } from '../base/environment.ts'

export interface CheckedVersion {
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

const REFERENCE = /\$\{([A-Za-z_]\w*)/g
/** Valid as a URL, and as part of one. */
const STAND_IN = 'http://stand-in'

/**
 * Checks whether replicas could use these texts. Reads them like files, but without the environment
 * of the person who pushes: it may lack variables of the replicas, or its own setting may override
 * and so hide a bad one.
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
  const warnings = [...rulesWarnings(parts), ...parts.settings.warnings]
  return { problems, warnings: problems.length > 0 ? [] : warnings }
}

function referenced(text: string, env: Environment): Environment {
  const names = [...text.matchAll(REFERENCE)].map(([, name = '']) => name)
  return Object.fromEntries(names.map((name) => [name, env[name] ?? STAND_IN]))
}
