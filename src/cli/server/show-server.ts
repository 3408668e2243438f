import { shellWord } from '../../base/text/shell-word.ts'
import { visible } from '../../base/text/visible.ts'
import { toServerConfig } from '../../config/servers/add/save-server.ts'
import type { FilledPlan, ServerPlan } from '../../config/servers/add/server-plan.ts'
import type { Workspace } from '../../config/paths.ts'
import type { TriedServer } from '../../app/servers/server-adder.ts'
import { whyNoSandbox } from '../doctor/check-sandbox.ts'
import { toFinding } from '../doctor/check-servers.ts'
import { renderFindings } from '../doctor/render-findings.ts'
import { type Terminal, count } from '../shared/terminal/terminal.ts'

export interface ShownWith {
  readonly place: Workspace
  readonly home: string
  /** The servers file. */
  readonly file: string
  readonly terminal: Terminal
}

/** Says what a registry would have run, before anything is asked or started. */
export async function showPlan(plan: ServerPlan, { line, paint }: Terminal): Promise<void> {
  const { name, entry, origin, notes } = plan
  if (!origin) return
  line(`${paint('bold', name)}: ${origin.name} ${origin.version}, from ${origin.registry}`)
  line(`  ${entry['command'] === undefined ? 'connects to' : 'runs'} ${targetOf(plan)}`)
  const missing = entry['command'] === undefined ? undefined : await whyNoSandbox()
  if (entry['sandbox'] === true)
    line('  in a sandbox: it sees its own package and this folder, read-only')
  else if (entry['command'] !== undefined)
    line(
      `  ${paint('yellow', '⚠')} without a sandbox, with all your rights${missing ? `: ${missing.why}` : ''}`,
    )
  for (const note of notes) line(paint('gray', `  ${visible(note)}`))
}

/** The whole command, with the names of what is asked for; or the address. */
function targetOf({ entry, fields }: ServerPlan): string {
  const { command, args, url } = entry
  if (typeof url === 'string') return url
  const words = (at: string) =>
    fields.filter((field) => field.at === at).flatMap((one) => one.words)
  if (typeof command !== 'string') return words('url').join('')
  const fixed = Array.isArray(args) ? args.map(String) : []
  return [command, ...fixed].map(shellWord).concat(words('args')).join(' ')
}

/** Says why a server was not added. */
export function showFailure(
  filled: FilledPlan,
  { probe }: TriedServer,
  { file, place, home, terminal }: ShownWith,
): void {
  const { name } = filled
  const servers = new Map([[name, toServerConfig(filled, { place, home, file })]])
  const origins = { servers: new Map<string, string>(), agents: new Map<string, string>() }
  renderFindings([toFinding(name, probe, { servers, origins })], terminal)
  terminal.line(`Nothing was saved. --no-test adds ${name} as it is.`)
}

export function showSaved(
  { filled, tried }: { readonly filled: FilledPlan; readonly tried?: TriedServer },
  { file, terminal }: ShownWith,
): void {
  const { line, paint } = terminal
  const { name, secrets } = filled
  line(`${paint('green', '✓')} ${name} is in ${file}${tried ? whatItOffers(tried) : ''}`)
  if (secrets.size > 0)
    line(`  Its keys are sealed in the data folder: ${[...secrets.keys()].join(', ')}`)
  if (tried) showFindings(name, tried, terminal)
  else line(`  It was not tested: portolan server test ${shellWord(name)}`)
}

function whatItOffers({ probe: { tools, tokens = 0 } }: TriedServer): string {
  return tools === undefined ? '' : `: ${count(tools, 'tool')}, ${count(tokens, 'token')}`
}

function showFindings(
  name: string,
  { probe, findings }: TriedServer,
  { line, paint }: Terminal,
): void {
  if (probe.signIn !== undefined)
    line(`  It asks you to sign in: portolan server login ${shellWord(name)}`)
  for (const { name: tool, quote, reason } of findings)
    line(`  ${paint('yellow', '⚠')} ${visible(tool || 'its instructions')}: ${reason} ("${quote}")`)
  if (findings.some((finding) => finding.class === 'high'))
    line(`  No agent sees it until you have read it: portolan server review ${shellWord(name)}`)
}

function isSandboxed({ entry }: FilledPlan): boolean {
  return (entry['sandbox'] ?? false) !== false
}

export async function warnOfSandbox(
  filled: readonly FilledPlan[],
  { line, paint }: Terminal,
): Promise<void> {
  const missing = filled.some(isSandboxed) ? await whyNoSandbox() : undefined
  if (missing)
    line(`  ${paint('yellow', '⚠')} It will not start: ${missing.why}. ${missing.nextStep}`)
}
