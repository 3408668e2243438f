import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { enclosingGit } from '../../base/git/read-git.ts'
import { packageFile } from '../../base/files/package-files.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Machine } from '../clients/machine.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { loadParts } from '../../config/load.ts'
import { isOnlyOurs } from '../../config/trust/own-folders.ts'
import { recordOwnFolder, recordTrust } from '../../config/trust/record-trust.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import type { Terminal } from '../shared/terminal/terminal.ts'
import { VERSION } from '../../base/version.ts'
import { CLIENTS } from '../clients/clients.ts'
import { stateOf } from '../connect/connect-command.ts'

export interface InitOptions {
  readonly machine: Machine
  readonly terminal: Terminal
  /** Accept the suggested answer to every question, and overwrite nothing. */
  readonly yes: boolean
}

export interface InitReport {
  readonly written: readonly string[]
  readonly kept: readonly string[]
  readonly isRepository: boolean
}

/** Creates the three files; an existing one is overwritten only after asking. */
export async function runInit(options: InitOptions): Promise<InitReport> {
  const { machine, terminal, yes } = options
  if (!yes && !terminal.canAsk)
    throw new GatewayError('INVALID_PARAMS', 'There is no terminal to ask questions on', {
      hint: 'portolan init --yes accepts the suggested answers.',
    })
  const written: string[] = []
  const kept: string[] = []
  const put = (name: string, content: string) => {
    const path = join(machine.cwd, name)
    replaceFile(path, content)
    recordTrust(machine, [{ path, text: content }], 'trusted')
    written.push(name)
  }
  const isFree = async (name: string) => {
    if (!existsSync(join(machine.cwd, name))) return true
    if (!yes && (await terminal.confirm(`${name} already exists. Overwrite it?`, false)))
      return true
    kept.push(name)
    return false
  }

  const free: (typeof FILES)[number][] = []
  for (const file of FILES) if (await isFree(file[0])) free.push(file)
  await changeFiles(machine, { reason: 'init' }, () => {
    for (const [name, content] of free) put(name, content())
  })
  if (!yes && isOfThisPerson(machine) && (await terminal.confirm(OWN_FOLDER, false)))
    await changeFiles(machine, { reason: 'init: this folder is mine' }, () =>
      recordOwnFolder(machine, machine.cwd),
    )
  return { written, kept, isRepository: enclosingGit(machine.cwd) !== undefined }
}

const OWN_FOLDER =
  'Is this folder yours, so that what you save in these files applies at once? (What git brings waits for `portolan trust`.)'

/** Whether nobody else may write in the folder, and its files are as the person trusts them. */
function isOfThisPerson({ cwd, env }: Machine): boolean {
  const parts = loadParts({ cwd, env })
  return (
    isOnlyOurs(realpathSync(cwd)) &&
    Object.values(parts).every(({ leftOut }) => leftOut.length === 0)
  )
}

const FILES = [
  ['.mcp.json', () => '{\n  "mcpServers": {}\n}\n'],
  ['.mcp-gateway-rules.json', starterRules],
  ['portolan.yaml', starterSettings],
] as const

/** Returns rules with one agent, for callers that name none; it may use all but deleting tools. */
function starterRules(): string {
  const rules = {
    agents: {
      default: { allow: { servers: ['*'] }, deny: { effects: ['delete'] } },
    },
    defaults: { deny_on_missing_agent: false },
  }
  return `${JSON.stringify(rules, null, 2)}\n`
}

function starterSettings(): string {
  const text = readFileSync(packageFile('assets/starter/portolan.yaml'), 'utf8')
  return text.replace('${VERSION}', VERSION)
}

export function renderInit(report: InitReport, { line, paint }: Terminal): void {
  for (const name of report.written) line(`${paint('green', '✓')} ${name}`)
  for (const name of report.kept) line(`${paint('gray', '·')} ${name} is unchanged`)
  if (!report.written.includes('portolan.yaml')) return
  line('  Agents here also have')
  const code = report.isRepository
    ? 'search of the code in this repository, which its first search indexes'
    : 'search of the code in this folder, once you run: portolan code index .'
  for (const text of [
    code,
    'knowledge from documents that you add: portolan ingest <files>',
    'traces: solutions that agents have found here before',
  ])
    line(`  ${paint('gray', '·')} ${text}`)
}

/** Prints the next steps, in order. */
export function renderNext(machine: Machine, { line, paint }: Terminal): void {
  const states = CLIENTS.map((client) => stateOf(client, machine))
  const isConnected = states.some(({ state }) => state === 'connected')
  const found = states.find(({ state }) => state === 'found')?.id ?? '<client>'
  line(`\n${paint('bold', 'Next')}`)
  const steps = [
    ['portolan doctor', 'check that all servers answer'],
    ['portolan server add <name> -- <command>', 'add a server'],
    ...(isConnected ? [] : [[`portolan connect ${found}`, 'let your client use Portolan']]),
    ['portolan explain default <server> <tool>', 'see what an agent may do, and why'],
  ]
  for (const [command = '', why = ''] of steps)
    line(`  ${paint('cyan', command.padEnd(42))} ${why}`)
}
