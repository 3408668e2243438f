import type { Environment } from '../../base/environment.ts'
import type { OriginalName } from '../kit/replaced-system.ts'

/** The names of CocoSearch, whose contract code search follows; nothing else may spell them out. */
export const SERVER_NAME = 'cocosearch'
export const PROJECT_FILE = 'cocosearch.yaml'
/** A folder of that name in a project, or in the home folder. */
export const OWN_FOLDER = '.cocosearch'

const [THEIRS, OURS] = ['COCOSEARCH_', 'PORTOLAN_CODE_']

/** Returns the variables of CocoSearch that are set, each with our name; the stronger ones last. */
export function namesIn(env: Environment): OriginalName[] {
  const set = Object.keys(env).filter((name) => name.startsWith(THEIRS) && env[name])
  return set
    .toSorted()
    .map((name) => [name, PROJECTS.has(name) ? 'PORTOLAN_PROJECT' : name.replace(THEIRS, OURS)])
}

const PROJECTS = new Set(['COCOSEARCH_PROJECT', 'COCOSEARCH_PROJECT_PATH'])

/** Returns what the variables of CocoSearch set, under our names, unless those are set as well. */
export function fromCocoSearch(env: Environment): Record<string, string | undefined> {
  const names = namesIn(env).filter(([, ours]) => env[ours] === undefined)
  return Object.fromEntries(names.map(([theirs, ours]) => [ours, env[theirs]]))
}

/** Returns the name under which a variable of ours was set. */
export function asWritten(name: string, env: Environment): string {
  const theirs = name.replace(OURS, THEIRS)
  return env[theirs] === undefined ? name : theirs
}
