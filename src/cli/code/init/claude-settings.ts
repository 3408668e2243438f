import { isObject } from '../../../base/json/json.ts'
import { parseConfig } from '../../shared/clients/parse-config.ts'
import { valueAt } from '../../shared/clients/read-client-configs.ts'
import { editJson } from '../../shared/files/edit-json.ts'

const PERMISSION = 'mcp__cocosearch__*'
/** How our hook is found again: no one else's command ends so. */
const HOOK = ' code hook'
const HOOK_SECONDS = 5

/** Lets the tools of code search be used without a question each. */
export function withPermission(text: string, file: string): string {
  const path = ['permissions', 'allow']
  const allowed = listAt(text, file, path)
  return allowed.includes(PERMISSION) ? text : editJson(text, path, [...allowed, PERMISSION])
}

/** Reminds the agent of the index when it reaches for Grep or Glob. */
export function withHook(text: string, file: string, launch: string): string {
  const path = ['hooks', 'PreToolUse']
  const entries = listAt(text, file, path)
  if (entries.some(isOurs)) return text
  const own = {
    matcher: 'Grep|Glob',
    hooks: [{ type: 'command', command: `${launch}${HOOK}`, timeout: HOOK_SECONDS }],
  }
  return editJson(text, path, [...entries, own])
}

function listAt(text: string, file: string, path: readonly string[]): unknown[] {
  const found = valueAt(parseConfig(text, { file, format: 'json' }), path)
  return Array.isArray(found) ? found : []
}

function isOurs(entry: unknown): boolean {
  const hooks: unknown = isObject(entry) ? entry['hooks'] : undefined
  return (
    Array.isArray(hooks) &&
    hooks.some((hook) => isObject(hook) && String(hook['command']).endsWith(HOOK))
  )
}
