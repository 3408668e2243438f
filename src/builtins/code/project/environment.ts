import { asWritten, namesIn } from '../cocosearch-names.ts'
import type { OriginalName } from '../../kit/replaced-system.ts'
import { nearest } from '../../../base/text/nearest.ts'
import { SETTING_VARIABLES } from './code-config.ts'

/** Variables besides those of the settings; each is read where it is used. */
const OTHERS = [
  'OLLAMA_URL',
  'EMBEDDING_API_KEY',
  'CONTROLLER_API_KEY',
  'FOLDERS',
  'AUTO_INDEX',
  'PROJECTS_DIR',
  'NO_DASHBOARD',
  'DASHBOARD_PORT',
  'IDLE_TIMEOUT',
  'SERVER_URL',
  'PATH_PREFIX',
  'MCP_PORT',
]

const PREFIX = 'PORTOLAN_CODE_'
const KNOWN = [...SETTING_VARIABLES.map((name) => name.slice(PREFIX.length)), ...OTHERS]

/** Returns the variables of CocoSearch that are set and have an effect, each with our name. */
export function namesRead(env: NodeJS.ProcessEnv): OriginalName[] {
  return namesIn(env).filter(
    ([, ours]) => !ours.startsWith(PREFIX) || KNOWN.includes(ours.slice(PREFIX.length)),
  )
}

/** Returns one sentence for each variable that is set but has no effect. */
export function unusedVariables(env: NodeJS.ProcessEnv, folder: string): string[] {
  const written = (name: string): string => asWritten(`${PREFIX}${name}`, env)
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && env[name] !== '')
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !KNOWN.includes(name))
    .toSorted()
    .map((name) => {
      if (name === 'DATABASE_URL')
        return `${written(name)} has no use here: indexes are files in ${folder}, and no database is needed`
      const [meant] = nearest(name, KNOWN)
      return `${written(name)} is not known${meant === undefined ? '' : `. Did you mean ${PREFIX}${meant}?`}`
    })
}
