import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packageFile } from '../../base/package-files.ts'
import { projectAt } from '../../builtins/code/project/find-project.ts'
import { parseConfig } from '../clients/parse-config.ts'
import { valueAt } from '../clients/read-shelves.ts'
import { editJson } from '../edit-json.ts'
import { replaceFile } from '../replace-file.ts'
import { withHook, withPermission } from './claude-settings.ts'
import { withRoutingSection } from './routing-section.ts'
import { starterConfig } from './starter-config.ts'

/** What is wanted; each has its own `--no-…`. */
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
  /** What was there already, as it should be. */
  readonly kept: readonly string[]
}

/** These files are shared by a team: nothing in them is a path of this machine. */
const LAUNCH = ['npx', '-y', 'portolan']
const SERVE = ['code', 'mcp', '--project-from-cwd']
const NAME = 'cocosearch'
/** Beside the built code and the sources alike. */
const SKILLS = packageFile('data/code-skills')

type Edit = (text: string, file: string) => string

/** Makes a project ready for agents that search its code. Nothing that is there is lost; twice is as once. */
export function runCodeInit(folder: string, flags: CodeInitFlags): CodeInitReport {
  const report = { written: [] as string[], changed: [] as string[], kept: [] as string[] }
  const put = (name: string, edit: Edit): void => {
    const file = join(folder, name)
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    const after = edit(before ?? '', file)
    if (after !== before) replaceFile(file, after)
    report[before === undefined ? 'written' : after === before ? 'kept' : 'changed'].push(name)
  }
  put('cocosearch.yaml', (text) => text || starterConfig(projectAt(folder).names.suggested))
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
  return withServer(text, file, ['mcpServers', NAME], { command, args: [...args, ...SERVE] })
}

const withOpenCodeServer: Edit = (text, file) => {
  const start = text || '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'
  const command = [...LAUNCH, ...SERVE]
  return withServer(start, file, ['mcp', NAME], { type: 'local', command, enabled: true })
}

/** An entry that is there already was made by somebody who knows better. */
function withServer(text: string, file: string, path: readonly string[], entry: object): string {
  const isThere = valueAt(parseConfig(text, { file, format: 'json' }), path) !== undefined
  return isThere ? text : editJson(text, path, entry)
}

function openCodeFile(folder: string): string {
  return existsSync(join(folder, 'opencode.jsonc')) ? 'opencode.jsonc' : 'opencode.json'
}

/** OpenCode reads the skills of Claude Code: one set serves both. */
function readSkills(): (readonly [name: string, text: string])[] {
  return readdirSync(SKILLS)
    .toSorted()
    .map((file) => [`${NAME}-${basename(file, '.md')}`, readFileSync(join(SKILLS, file), 'utf8')])
}

/** A file that was written and then added to is a file that was written. */
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
