import { isObject, type JsonObject } from '../../base/json/json.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { valueAt } from '../issues.ts'
import type { FileKind, Workspace } from '../paths.ts'
import type { OwnChange } from './own-folders.ts'
import type { Verdict } from './trust-list.ts'

/** A file of the working folder that is not used, or only in part, because it is not trusted. */
export interface LeftOut {
  readonly kind: FileKind
  readonly path: string
  readonly verdict: Exclude<Verdict, 'trusted'>
  /** Set in a folder that the person has called theirs: why it is not trusted there. */
  readonly change?: OwnChange | undefined
  /** What changed since the file was trusted, if its trusted content is still in use. */
  readonly changes?: FileChanges | undefined
  /** Whether its content cannot be used even if it is trusted. */
  readonly isBad?: true
  /** What happened, and why. */
  readonly message: string
  /** The command that makes the file trusted. */
  readonly command: string
}

/** The changes of a file that nobody has trusted yet, as sentences. */
export interface FileChanges {
  /** What takes something away, which is in force already. */
  readonly inForce: readonly string[]
  /** What waits for `portolan trust`. */
  readonly waiting: readonly string[]
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

type Untrusted = Pick<LeftOut, 'kind' | 'path' | 'verdict' | 'change'>

function reasonOf({ verdict, change }: Untrusted): string {
  return change === 'by git' ? 'was brought by git, and is not trusted yet' : REASONS[verdict]
}

export function leftOut(file: Untrusted, place: Workspace): LeftOut {
  const { kind, path, change } = file
  const message = `${path} ${reasonOf(file)}, so ${STILL_USED[kind]}.`
  const command = trustCommand(place)
  return { kind, path, verdict: file.verdict, ...(change && { change }), message, command }
}

/** Says of a file that has changed since it was trusted how much of that is in force. */
export function withChanges(file: LeftOut, changes: FileChanges): LeftOut {
  const { inForce, waiting } = changes
  const count = `${inForce.length} ${inForce.length === 1 ? 'change applies' : 'changes apply'} now, ${waiting.length} ${waiting.length === 1 ? 'waits' : 'wait'} for your trust`
  return { ...file, changes, message: `${file.path} ${reasonOf(file)}: ${count}.` }
}

/**
 * Says of a file that has changed since it was trusted that it cannot be used. Agents read this, so
 * it repeats nothing of what somebody else wrote.
 */
export function withMistake(file: LeftOut): LeftOut {
  const message = `${file.path} ${REASONS.changed} and has mistakes, so nothing of it applies; \`portolan check\` lists them.`
  return { ...file, isBad: true, message }
}

/** Returns a command that works as it is in any folder. */
function trustCommand({ cwd, env }: Workspace): string {
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
