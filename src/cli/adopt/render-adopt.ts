import { hide } from '../../base/secrets/secrets.ts'
import type { PlannedServer } from '../clients/plan-import.ts'
import { describeTarget } from '../clients/describe-target.ts'
import { type Terminal, count } from '../shared/terminal/terminal.ts'
import type { Context } from './contexts.ts'
import type { AdoptReport } from './run-adopt.ts'

/** Prints the servers found, what happens to each, and every client's context before and after. */
export function renderPlan(report: AdoptReport, terminal: Terminal): void {
  const { plan, clients } = report
  const { line, paint } = terminal
  for (const problem of plan.problems) line(`${paint('yellow', '⚠')} ${problem}`)
  if (plan.moved.length > 0) {
    line(
      `${count(plan.moved.length, 'server')} ${report.written ? 'moved' : 'to move'} to ${report.target}:\n`,
    )
    terminal.table(plan.moved.map((server) => movedRow(server, report, terminal)))
    line()
  }
  renderKept(report, terminal)
  renderNotes(report, terminal)
  if (clients.length === 0) return
  line('In the context of every conversation:\n')
  terminal.table([
    ['', 'before', '', '', 'with Portolan', '', ''].map((title) => paint('gray', title)),
    ...clients.map(({ client, before, after }) => [
      paint('bold', client.name),
      ...amounts(before),
      ...amounts(after).map((text) => paint('green', text)),
    ]),
  ])
  if (clients.some(({ before }) => before.namesOnly))
    line('\nNames only: the client shows models a definition after they have searched for it.')
  line()
}

function amounts({ servers, tools, tokens, namesOnly, unknown }: Context): string[] {
  const missing = unknown.length
  if (missing > 0 && missing === servers) return [count(servers, 'server'), 'not counted', '']
  const notes = [
    ...(namesOnly ? ['names only'] : []),
    ...(missing > 0 ? [`${missing} not counted`] : []),
  ]
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : ''
  return [count(servers, 'server'), count(tools, 'tool'), count(tokens, 'token') + note]
}

function movedRow(server: PlannedServer, { contexts }: AdoptReport, { paint }: Terminal): string[] {
  const { name, found, entry, outcome } = server
  const error = contexts.errorOf(server)
  const from = [...new Set(found.map(({ client }) => client.name))].join(', ')
  const original = found[0]?.name ?? name
  return [
    paint('bold', name),
    from,
    entry ? describeTarget(entry) : '',
    [
      ...(outcome === 'there' ? ['already there'] : []),
      ...(original === name ? [] : [`was ${original}; another server has that name`]),
      ...(found.some(({ clientConfig }) => clientConfig.scope === 'project')
        ? ['was for this folder only']
        : []),
      ...(entry?.['disabled'] === true ? ['stays disabled'] : []),
      ...(error === undefined ? [] : [paint('yellow', `does not answer: ${hide(error)}`)]),
    ].join('; '),
  ]
}

function renderKept({ plan }: AdoptReport, { line, paint }: Terminal): void {
  for (const { found, reason } of plan.kept)
    line(`${paint('gray', '·')} ${found.name} stays in ${found.client.name}: ${reason}`)
  if (plan.kept.length > 0) line()
}

function renderNotes({ plan }: AdoptReport, { line, paint }: Terminal): void {
  const notes = notesOf(plan.moved)
  for (const { name, note } of notes) line(`${paint('yellow', '⚠')} ${name}: ${note}`)
  if (notes.length > 0) line()
}

/** Returns the settings of clients that Portolan cannot express. */
function notesOf(moved: readonly PlannedServer[]) {
  return moved.flatMap(({ name, notes = [] }) => notes.map((note) => ({ name, note })))
}

export function renderOutcome(report: AdoptReport, { line, paint }: Terminal): void {
  const { clients, variables, written, plan } = report
  if (clients.length === 0) {
    line(
      plan.kept.length === 0
        ? 'No MCP servers found in the clients on this machine, other than Portolan itself.'
        : 'Nothing to move.',
    )
    line(
      'Add one: portolan server add <name> -- <command>   Connect a client: portolan connect <client>',
    )
    return
  }
  if (!written) return line('Nothing was changed.')
  for (const { client, error, files } of clients)
    line(
      error === undefined
        ? `${paint('green', '✓')} ${client.name} uses Portolan. ${client.afterwards} ${paint('gray', files.join(', '))}`
        : `${paint('red', '✗')} ${client.name} was not changed: ${error}`,
    )
  line('  Code search, knowledge and traces are behind Portolan too, in every folder.')
  if (variables.length > 0) line(`  Keys are sealed in the data folder: ${variables.join(', ')}`)
  line(`\nUndo all of it: ${paint('cyan', 'portolan adopt --undo')}`)
}

export function toAdoptJson(report: AdoptReport) {
  const { target, plan, contexts, clients, variables, written } = report
  return {
    written,
    target,
    problems: plan.problems,
    variables,
    servers: plan.moved.map((server) => ({
      name: server.name,
      from: server.found.map(({ client, clientConfig, name }) => ({
        client: client.id,
        file: clientConfig.file,
        name,
      })),
      notes: server.notes ?? [],
      error: errorOf(contexts.errorOf(server)),
    })),
    kept: plan.kept.map(({ found, reason }) => ({
      name: found.name,
      client: found.client.id,
      file: found.clientConfig.file,
      reason,
    })),
    clients: clients.map(({ client, files, before, after, error }) => ({
      client: client.id,
      files,
      before,
      after,
      error: errorOf(error),
    })),
  }
}

function errorOf(error: string | undefined): string | null {
  return error === undefined ? null : hide(error)
}
