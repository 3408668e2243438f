import type { ClientId } from '../clients/client.ts'
import { CLIENTS } from '../clients/clients.ts'
import type { Machine } from '../clients/machine.ts'
import { createProgressBar } from '../shared/terminal/progress-bar.ts'
import { type Terminal, count } from '../shared/terminal/terminal.ts'
import { renderOutcome, renderPlan } from './render-adopt.ts'
import { type AdoptReport, runAdopt } from './run-adopt.ts'

export interface OfferOptions {
  readonly machine: Machine
  /** Undefined if a program reads the report. */
  readonly terminal: Terminal | undefined
  readonly clients?: readonly ClientId[] | undefined
  readonly ask: boolean
  readonly count: boolean
  readonly timeoutMs: number
  readonly dryRun: boolean
  /** Whether to print nothing if there is nothing to do. */
  readonly quiet?: boolean
}

/** Shows what would change, asks for confirmation, makes the changes and shows the result. */
export async function offerAdopt(options: OfferOptions): Promise<AdoptReport> {
  const { machine, terminal, clients, dryRun } = options
  const bar = createProgressBar('Asking servers')
  const report = await runAdopt({
    machine,
    clients: CLIENTS.filter(({ id }) => clients?.includes(id) ?? true),
    named: clients !== undefined,
    count: options.count,
    timeoutMs: options.timeoutMs,
    dryRun,
    onProgress: bar.update,
    async confirm(plan) {
      bar.end()
      if (!options.ask || !terminal) return true
      renderPlan(plan, terminal)
      return terminal.confirm(question(plan), true)
    },
  }).finally(bar.end)
  if (!terminal || (options.quiet && report.clients.length === 0)) return report
  // Without a question, the plan has not been shown yet.
  if (!options.ask || dryRun || report.clients.length === 0) renderPlan(report, terminal)
  renderOutcome(report, terminal)
  return report
}

function question({ plan, clients }: AdoptReport): string {
  const connected = clients.map(({ client }) => client.name).join(', ')
  const verb = plan.moved.length === 0 ? '' : `Move ${count(plan.moved.length, 'server')} and `
  return `${verb}${verb === '' ? 'Connect' : 'connect'} ${connected}?`
}
