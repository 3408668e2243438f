import { isObject, type JsonObject } from '../../base/json/json.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { valueAt } from '../issues.ts'
import type { FileKind, Place } from '../paths.ts'
import type { Verdict } from './trust-list.ts'

/** A file of the working folder that is not used, or only in part, because it is not trusted. */
export interface LeftOut {
  readonly kind: FileKind
  readonly path: string
  readonly verdict: Exclude<Verdict, 'trusted'>
  /** What happened, and why. */
  readonly message: string
  /** The command that makes the file trusted. */
  readonly command: string
}

export function describeLeftOut({ message, command }: LeftOut): string {
  return `${message} Read it, then run: ${command}`
}

/** Settings that affect only how much an agent reads, and grant no access. */
const HARMLESS_SETTINGS = ['surface', 'pins', 'budgets.maxTokens'] as const

const STILL_USED: Record<FileKind, string> = {
  mcp: 'none of its servers is started',
  rules: 'what it denies is denied, and what it allows is ignored',
  settings: `only ${HARMLESS_SETTINGS.join(', ')} of it are used`,
}

const REASONS: Record<LeftOut['verdict'], string> = {
  unknown: 'is not trusted',
  declined: 'is not trusted, because you said no when you were asked',
  changed: 'has changed since it was trusted',
}

export function leftOut(
  kind: FileKind,
  path: string,
  verdict: LeftOut['verdict'],
  place: Place,
): LeftOut {
  const message = `${path} ${REASONS[verdict]}, so ${STILL_USED[kind]}.`
  return { kind, path, verdict, message, command: trustCommand(place) }
}

/** Returns a command that works as it is in any folder. */
function trustCommand({ cwd, env }: Place): string {
  const home = env['PORTOLAN_HOME']
  const prefix = home ? `PORTOLAN_HOME=${shellWord(home)} ` : ''
  return `${prefix}portolan trust ${shellWord(cwd)}`
}

export function harmlessSettings(content: JsonObject): JsonObject {
  const kept: JsonObject = {}
  for (const name of HARMLESS_SETTINGS) {
    const [section = '', key] = name.split('.')
    const value = valueAt(content, name.split('.'))
    if (value === undefined) continue
    const before = kept[section]
    kept[section] = key === undefined ? value : { ...(isObject(before) && before), [key]: value }
  }
  return kept
}
