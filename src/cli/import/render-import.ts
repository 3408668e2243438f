import { discoveryTokens } from '../../app/health/probe-servers.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { type Terminal, count, number } from '../shared/terminal/terminal.ts'
import { type PlannedServer, isTaken } from '../clients/plan-import.ts'
import { describeTarget } from '../clients/describe-target.ts'
import type { ImportReport } from './run-import.ts'

export function renderImport(report: ImportReport, terminal: Terminal): void {
  const { planned, problems } = report
  const { paint, line } = terminal
  const clients = new Set(planned.flatMap(({ found }) => found.map(({ client }) => client.id)))
  for (const problem of problems) line(`${paint('yellow', '⚠')} ${problem}`)
  if (planned.length === 0) {
    line('No MCP servers found in the clients on this machine.')
    line('Add one to .mcp.json, or try the built-in ones: portolan demo')
    return
  }
  line(`${count(planned.length, 'server')} from ${count(clients.size, 'client')}:\n`)
  terminal.table([
    ['server', 'from', 'reaches', 'tools', 'tokens', ''].map((title) => paint('gray', title)),
    ...planned.map((plan) => row(plan, report, terminal)),
  ])
  line()
  renderCosts(report, terminal)
  renderOutcome(report, terminal)
}

function row(plan: PlannedServer, { costs }: ImportReport, { paint }: Terminal): string[] {
  const cost = costs.get(plan)
  const tools = cost?.tools === undefined ? '' : number(cost.tools)
  const tokens = cost?.tokens === undefined ? '' : number(cost.tokens)
  const colour = COLOURS[plan.outcome]
  return [
    paint('bold', plan.name),
    [...new Set(plan.found.map(({ client }) => client.name))].join(', '),
    plan.entry ? describeTarget(plan.entry) : '',
    tools.padStart(5),
    tokens.padStart(6),
    paint(colour, OUTCOMES[plan.outcome]) +
      (plan.reason === undefined ? '' : `: ${plan.reason}`) +
      (cost?.error === undefined ? '' : paint('yellow', ` (not counted: ${hide(cost.error)})`)),
  ]
}

const OUTCOMES: Record<PlannedServer['outcome'], string> = {
  new: 'new',
  replaces: 'replaces',
  there: 'already there',
  conflict: 'conflict',
  skipped: 'skipped',
  elsewhere: 'another project',
}

const COLOURS = {
  new: 'green',
  replaces: 'green',
  there: 'gray',
  conflict: 'yellow',
  skipped: 'gray',
  elsewhere: 'gray',
} as const

/** Returns the tokens that tool definitions take in a conversation, by client. */
function costsByClient({ planned, costs }: ImportReport): Map<string, number> {
  const sums = new Map<string, number>()
  for (const plan of planned) {
    const tokens = costs.get(plan)?.tokens
    const names = new Set(
      plan.found.flatMap(({ client, elsewhere }) => (elsewhere === undefined ? [client.name] : [])),
    )
    if (tokens !== undefined)
      for (const name of names) sums.set(name, (sums.get(name) ?? 0) + tokens)
  }
  return sums
}

function renderCosts(report: ImportReport, { line, paint }: Terminal): void {
  const sums = costsByClient(report)
  if (sums.size === 0) return
  const today = [...sums].map(([name, tokens]) => `${name} ${number(tokens)}`).join(', ')
  line(`Tokens that tool definitions take in every conversation today: ${today}`)
  line(`Behind Portolan: ${paint('green', number(discoveryTokens()))}\n`)
}

function renderOutcome(report: ImportReport, { line, paint }: Terminal): void {
  const { planned, target, written, variables, secretsFile } = report
  const taken = planned.filter(isTaken)
  const servers = count(taken.length, 'server')
  if (taken.length === 0) line(`Nothing to add to ${target}`)
  else if (written) line(`${paint('green', '✓')} ${servers} written to ${target}`)
  else line(`${servers} would be written to ${target} (--dry-run)`)
  if (variables.length > 0) {
    const names = variables.map((name) => `\${${name}}`).join(', ')
    line(
      secretsFile === undefined
        ? `${paint('yellow', '⚠')} Set these variables where Portolan runs: ${names}`
        : `  Secrets ${written ? 'are' : 'would be'} kept sealed in ${secretsFile}; .mcp.json refers to them as ${names}`,
    )
  }
  if (planned.some(({ outcome }) => outcome === 'conflict'))
    line(
      `${paint('yellow', '⚠')} Conflicts were not imported: --on-conflict rename keeps both, replace takes the client's`,
    )
  if (planned.some(({ outcome }) => outcome === 'elsewhere'))
    line('  Servers of other projects: --all-projects imports them too')
  if (written) line('\nNext: portolan check, then portolan connect <client>')
}

export function toImportJson(report: ImportReport) {
  const { planned, costs, target, written, problems, variables, secretsFile } = report
  return {
    target,
    written,
    problems,
    variables,
    secrets_file: secretsFile ?? null,
    servers: planned.map((plan) => {
      const cost = costs.get(plan)
      return {
        name: plan.name,
        from: plan.found.map(({ client, clientConfig, elsewhere }) => ({
          client: client.id,
          scope: clientConfig.scope,
          file: clientConfig.file,
          ...(elsewhere !== undefined && { project: elsewhere }),
        })),
        outcome: plan.outcome,
        reason: plan.reason ?? null,
        reaches: plan.entry ? describeTarget(plan.entry) : null,
        tools: cost?.tools ?? null,
        tokens: cost?.tokens ?? null,
        error: cost?.error === undefined ? null : hide(cost.error),
      }
    }),
    tokens_today: Object.fromEntries(costsByClient(report)),
    tokens_behind_portolan: discoveryTokens(),
  }
}
