import { PROJECT_FILE, SERVER_NAME } from '../../../builtins/code/cocosearch-names.ts'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { stringify } from 'yaml'
import { packageFile } from '../../../base/files/package-files.ts'
import { projectAt } from '../../../builtins/code/project/find-project.ts'
import { parseConfig } from '../../clients/parse-config.ts'
import { valueAt } from '../../clients/read-client-configs.ts'
import { editJson } from '../../../base/json/edit-json.ts'
import { FILE_NAMES } from '../../../config/paths.ts'
import { isObject } from '../../../base/json/json.ts'
import { trustWritten } from '../../../config/trust/record-trust.ts'
import { replaceFile } from '../../../base/files/replace-file.ts'

/** The parts to set up; each has its own `--no-…`. */
export interface CodeInitFlags {
  readonly claudeMd: boolean
  readonly agentsMd: boolean
  readonly opencodeMcp: boolean
  readonly opencodeSkills: boolean
  readonly claudeMcp: boolean
  readonly claudeSettings: boolean
  readonly claudeHook: boolean
}

export interface CodeInitReport {
  readonly written: readonly string[]
  readonly changed: readonly string[]
  /** Files that were already as they should be. */
  readonly kept: readonly string[]
}

/** A team shares these files, so nothing in them is a path of this machine. */
const LAUNCH = ['npx', '-y', 'portolan']
const SERVE = ['code', 'mcp', '--project-from-cwd']
/** Found from both the built code and the sources. */
const SKILLS = packageFile('assets/code-skills')

type Edit = (text: string, file: string) => string

/** Prepares a project for agents that search its code. Idempotent; keeps all existing content. */
export function runCodeInit(folder: string, flags: CodeInitFlags): CodeInitReport {
  const report = { written: [] as string[], changed: [] as string[], kept: [] as string[] }
  const put = (name: string, edit: Edit): void => {
    const file = join(folder, name)
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    const after = edit(before ?? '', file)
    if (after !== before) replaceFile(file, after)
    if (after !== before && name === FILE_NAMES.mcp)
      trustWritten({ cwd: folder, env: process.env }, file, { before, after })
    report[before === undefined ? 'written' : after === before ? 'kept' : 'changed'].push(name)
  }
  put(PROJECT_FILE, (text) => text || starterConfig(projectAt(folder).names.suggested))
  if (flags.claudeMd) put('CLAUDE.md', withRoutingSection)
  if (flags.agentsMd) put('AGENTS.md', withRoutingSection)
  if (flags.claudeMcp) put('.mcp.json', withClaudeServer)
  if (flags.claudeSettings) put(SETTINGS, withPermission)
  if (flags.claudeHook) put(SETTINGS, (text, file) => withHook(text, file, LAUNCH.join(' ')))
  if (flags.opencodeMcp) put(openCodeFile(folder), withOpenCodeServer)
  if (flags.opencodeSkills)
    for (const [name, text] of readSkills()) put(`.claude/skills/${name}/SKILL.md`, () => text)
  return withoutRepeats(report)
}

const SETTINGS = '.claude/settings.json'

const withClaudeServer: Edit = (text, file) => {
  const [command, ...args] = LAUNCH
  return withServer(text, file, ['mcpServers', SERVER_NAME], { command, args: [...args, ...SERVE] })
}

const withOpenCodeServer: Edit = (text, file) => {
  const start = text || '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'
  const command = [...LAUNCH, ...SERVE]
  return withServer(start, file, ['mcp', SERVER_NAME], { type: 'local', command, enabled: true })
}

/** Keeps an existing entry, which somebody wrote on purpose. */
function withServer(text: string, file: string, path: readonly string[], entry: object): string {
  const isThere = valueAt(parseConfig(text, { file, format: 'json' }), path) !== undefined
  return isThere ? text : editJson(text, path, entry)
}

function openCodeFile(folder: string): string {
  return existsSync(join(folder, 'opencode.jsonc')) ? 'opencode.jsonc' : 'opencode.json'
}

/** Reads the skills. One set serves both clients, as OpenCode also reads those of Claude Code. */
function readSkills(): (readonly [name: string, text: string])[] {
  return readdirSync(SKILLS)
    .toSorted()
    .map((file) => [
      `${SERVER_NAME}-${basename(file, '.md')}`,
      readFileSync(join(SKILLS, file), 'utf8'),
    ])
}

/** Reports each file once: written takes precedence over changed, and changed over kept. */
function withoutRepeats({ written, changed, kept }: CodeInitReport): CodeInitReport {
  return {
    written,
    changed: without(changed, written),
    kept: without(kept, [...written, ...changed]),
  }
}

function without(names: readonly string[], others: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => !others.includes(name))
}

const BEGIN = '<!-- portolan code: begin -->'
const END = '<!-- portolan code: end -->'

/** Adds or replaces our section in a file of instructions; leaves everything around it as it is. */
function withRoutingSection(text: string): string {
  const section = `${BEGIN}\n\n${readStarter('instructions.md')}\n${END}`
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin >= 0 && end > begin)
    return text.slice(0, begin) + section + text.slice(end + END.length)
  const before = text.trimEnd()
  return before === '' ? `${section}\n` : `${before}\n\n${section}\n`
}

/** Returns a file of settings that shows its options as comments. */
function starterConfig(indexName: string): string {
  const name = stringify(indexName).trimEnd()
  return readStarter(PROJECT_FILE).replace('${NAME}', () => name)
}

function readStarter(name: string): string {
  return readFileSync(packageFile('assets/code-init', name), 'utf8')
}

const PERMISSION = `mcp__${SERVER_NAME}__*`
/** Identifies our hook: no other command ends like this. */
const HOOK = ' code hook'
const HOOK_SECONDS = 5

/** Allows the tools of code search without a prompt for each. */
function withPermission(text: string, file: string): string {
  const path = ['permissions', 'allow']
  const allowed = listAt(text, file, path)
  return allowed.includes(PERMISSION) ? text : editJson(text, path, [...allowed, PERMISSION])
}

/** Adds the hook that reminds the agent of the index before Grep and Glob. */
function withHook(text: string, file: string, launch: string): string {
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
