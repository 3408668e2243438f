import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerTool, serverTools } from '../../app/health/server-tools.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { type Config, loadConfig } from '../../config/load.ts'
import { parseJson } from '../../config/parse-text.ts'
import { describeProblem } from '../../config/problem.ts'
import { parseServers } from '../../config/servers/parse-servers.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { thisMachine } from '../clients/machine.ts'
import { editServers, serversIn } from '../clients/servers-file.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { configured } from './run-server.ts'

export interface ToolsFlags extends ConfigOptions {
  readonly edit?: true
  readonly json?: true
  readonly timeout: number
}

type UsableServer = Exclude<ServerConfig, { kind: 'broken' }>

/** Shows how agents see the tools of a server, or opens what its entry says about them in an editor. */
export async function tools(name: string, flags: ToolsFlags): Promise<void> {
  const config = loadConfig(await withStoredConfig(toLoadOptions(flags)))
  const server = configured(name, config)
  if (server.kind === 'broken')
    throw new GatewayError('SERVER_UNAVAILABLE', `Server '${name}': ${server.error}`)
  const found = await serverTools(config, server, flags.timeout)
  if (flags.edit) return edit(server, found.tools, config)
  if (flags.json) printJson({ server: name, ...found })
  else render(found, name)
  if (found.problems.length > 0) process.exitCode = 1
}

function render(
  { tools: rows, problems }: Awaited<ReturnType<typeof serverTools>>,
  name: string,
): void {
  const { line, paint, table } = createTerminal()
  const shown = rows.filter(({ shownAs }) => shownAs !== null)
  table([
    ['tool', 'for agents', 'effect', 'tokens'].map((title) => paint('gray', title)),
    ...rows.map((row) => [
      paint('bold', row.name),
      describeShown(row),
      row.effect,
      row.shownAs === null ? '' : String(row.tokens),
    ]),
  ])
  const tokens = shown.reduce((sum, row) => sum + row.tokens, 0)
  line(`\n${shown.length} of ${count(rows.length, 'tool')} of ${name}, ${tokens} tokens`)
  for (const problem of problems) line(`${paint('red', '✗')} ${describeProblem(problem)}`)
  line(`Change them: portolan server tools ${shellWord(name)} --edit`)
}

function describeShown({ name, shownAs, leftOut }: ServerTool): string {
  if (shownAs !== null) return shownAs === name ? '' : shownAs
  return leftOut === undefined ? 'hidden' : 'left out'
}

async function edit(
  server: UsableServer,
  known: readonly ServerTool[],
  config: Config,
): Promise<void> {
  const { name } = server
  const file = config.origins.servers.get(name)
  if (file === undefined)
    throw new GatewayError('INVALID_PARAMS', `Server '${name}' is in no servers file`, {
      hint: `Add an entry for it: portolan server add ${shellWord(name)} …`,
    })
  const entry = serversIn(file)[name]
  const before = isObject(entry) ? entry : {}
  const text = edited(toDraft(before, known), name)
  const said =
    isObject(text['tools']) && Object.keys(text['tools']).length === 0 ? undefined : text['tools']
  const changed: JsonObject = { tools: said, instructions: text['instructions'] }
  const next = { ...before, ...changed }
  const { problems } = parseServers({ mcpServers: { [name]: next } }, file, process.env)
  const wrong = problems.filter(({ path }) => path.startsWith(`mcpServers.${name}.`))
  if (wrong.length > 0)
    throw new GatewayError('INVALID_PARAMS', wrong.map(describeProblem).join('\n'), {
      hint: 'Nothing was changed. Run the command again.',
    })
  const machine = thisMachine()
  const edits = ['tools', 'instructions'].map((key) => ({
    path: ['mcpServers', name, key],
    value: changed[key],
  }))
  await changeFiles(machine, { reason: `server tools ${name}`, files: [file] }, () =>
    editServers(file, machine, edits),
  )
  const { line, paint } = createTerminal()
  line(`${paint('green', '✓')} ${file}: a running gateway shows the tools so from now on`)
}

/** Writes what an entry says, below the tools it may speak of. */
function toDraft({ tools: said = {}, instructions }: JsonObject, known: readonly ServerTool[]) {
  const names = known.map(
    ({ name, parameters }) =>
      `//   ${name}${parameters.length > 0 ? `(${parameters.join(', ')})` : ''}`,
  )
  const content = { tools: said, ...(instructions !== undefined && { instructions }) }
  return [
    '// How agents see these tools. A key is a tool or a pattern, such as "delete_*":',
    ...names,
    '// Words: name, title, description, hidden, effect (read, write, delete), examples, and',
    '// parameters: { "owner": { "name", "description", "default", "fixed", "hidden", "schema" } }',
    JSON.stringify(content, null, 2),
    '',
  ].join('\n')
}

/** Has the person edit a text in their editor, and returns its content. */
function edited(draft: string, server: string): JsonObject {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-'))
  const path = join(folder, `${server.replaceAll(/[^\w-]/g, '_')}.jsonc`)
  try {
    writeFileSync(path, draft, { mode: 0o600 })
    const { VISUAL, EDITOR } = process.env
    const editor = VISUAL || EDITOR || 'vi'
    const { status, error } = spawnSync(`${editor} ${shellWord(path)}`, {
      shell: true,
      stdio: 'inherit',
    })
    if (error || status !== 0)
      throw new GatewayError('INVALID_PARAMS', `The editor '${editor}' failed`, {
        hint: 'Set EDITOR to the command of your editor. Nothing was changed.',
        cause: error,
      })
    const content: unknown = parseJson(readFileSync(path, 'utf8'))
    return isObject(content) ? content : {}
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
