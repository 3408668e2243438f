import type { Environment } from '../../base/environment.ts'

/** The names of CocoSearch, whose contract code search follows; nothing else may spell them out. */
export const SERVER_NAME = 'cocosearch'
export const PROJECT_FILE = 'cocosearch.yaml'
/** A folder of that name in a project, or in the home folder. */
export const OWN_FOLDER = '.cocosearch'

const [THEIRS, OURS] = ['COCOSEARCH_', 'PORTOLAN_CODE_']

/** Returns what the variables of CocoSearch set, under our names, unless those are set as well. */
export function fromCocoSearch(env: Environment): Record<string, string> {
  const { COCOSEARCH_PROJECT_PATH: path, ...others } = env
  const named = { ...others, ...(path && { COCOSEARCH_PROJECT: path }) }
  const theirs = Object.entries(named).flatMap(([name, value]) => {
    const ours = name === 'COCOSEARCH_PROJECT' ? 'PORTOLAN_PROJECT' : name.replace(THEIRS, OURS)
    const isTheirs = name.startsWith(THEIRS) && value !== undefined && env[ours] === undefined
    return isTheirs ? [[ours, value] as const] : []
  })
  return Object.fromEntries(theirs)
}

/** Returns the name under which a variable of ours was set. */
export function asWritten(name: string, env: Environment): string {
  const theirs = name.replace(OURS, THEIRS)
  return env[theirs] === undefined ? name : theirs
}
