import { z } from 'zod'
import { visible } from '../../base/text/visible.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { createQuietPool } from '../../app/upstreams/quiet-pool.ts'
import {
  type ReviewDecision,
  type ServerReview,
  createReviews,
} from '../../app/upstreams/review-drift.ts'
import { loadConfig, type Config } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { thisPerson } from '../shared/files/change-files.ts'
import { findGateway } from '../shared/running-gateway.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { configured } from './run-server.ts'

export interface ReviewFlags extends ConfigOptions {
  readonly accept?: string[] | true
  readonly reject?: string[] | true
  readonly json?: true
}

const answer: z.ZodType<ServerReview> = z.object({
  server: z.string(),
  lock: z.string().nullable(),
  blocked: z.string().nullable(),
  problem: z.string().nullable(),
  changes: z.array(
    z.object({
      digest: z.string(),
      kind: z.string(),
      name: z.string(),
      reasons: z.array(z.string()),
      since: z.string(),
      hold: z.enum(['text', 'definition']),
      rejected: z.boolean(),
      diff: z.array(z.string()),
    }),
  ),
})

/** Shows what is held of a server, and applies what the person decides about it. */
export async function review(name: string, flags: ReviewFlags): Promise<void> {
  if (flags.accept && flags.reject)
    throw new GatewayError('INVALID_PARAMS', 'Either --accept or --reject, not both at once')
  const config = loadConfig(await withStoredConfig(toLoadOptions(flags)))
  configured(name, config)
  const server = (await atGateway(name, config)) ?? atRest(name, config)
  try {
    const shown = await server.review()
    const wanted = flags.accept ?? flags.reject
    if (wanted === undefined) return flags.json ? printJson(shown) : render(shown)
    const decision = { accept: flags.accept !== undefined, names: wanted }
    const digests = chosen(shown, decision)
    const decided = await server.decide({ accept: decision.accept, digests })
    if (!flags.json) return renderDecided(decided, shown, decision)
    printJson({ server: name, [decision.accept ? 'accepted' : 'rejected']: decided })
  } finally {
    await server.close()
  }
}

interface Decision {
  readonly accept: boolean
  readonly names: readonly string[] | true
}

function renderDecided(
  decided: readonly string[],
  shown: ServerReview,
  { accept }: Decision,
): void {
  const { line, paint } = createTerminal()
  const word = accept ? 'accepted' : 'rejected'
  for (const one of decided) line(`${paint('green', '✓')} ${visible(one)} is ${word}`)
  if (decided.length === 0) line(`Nothing of ${shown.server} is held.`)
  if (accept && shown.lock !== null) line(`${shown.lock} says so. Commit it.`)
}

function chosen(shown: ServerReview, { accept, names: wanted }: Decision): string[] {
  const held = new Set(shown.changes.map(({ name }) => name))
  const missing = wanted === true ? undefined : wanted.find((one) => !held.has(one))
  if (missing !== undefined)
    throw new GatewayError('INVALID_PARAMS', `No change of '${missing}' is held`, {
      hint: `portolan server review ${shellWord(shown.server)} shows what is.`,
    })
  // Who accepts all does not mean what somebody has rejected before.
  return shown.changes
    .filter(({ name, rejected }) =>
      wanted === true ? !(accept && rejected) : wanted.includes(name),
    )
    .map(({ digest }) => digest)
}

interface Reviewed {
  review(): Promise<ServerReview>
  decide(decision: ReviewDecision): Promise<readonly string[]>
  close(): Promise<void>
}

const decidedAnswer = z.object({ decided: z.array(z.string()) })

async function atGateway(name: string, config: Config): Promise<Reviewed | undefined> {
  const gateway = await findGateway(config, process.env['PORTOLAN_KEY'])
  const path = `/servers/${encodeURIComponent(name)}/review`
  return (
    gateway && {
      review: async () => answer.parse(await gateway.ask('GET', path)),
      decide: async (decision) =>
        decidedAnswer.parse(await gateway.ask('POST', path, decision)).decided,
      close: async () => {},
    }
  )
}

/** What was seen last, without starting the server. */
function atRest(name: string, config: Config): Reviewed {
  const pool = createQuietPool(config)
  pool.adopt(config)
  const reviews = createReviews({
    place: { cwd: process.cwd(), env: process.env },
    guardOf: (server) => pool.guardOf(server),
    entryOf: (server) => config.servers.get(server),
    reload: async () => undefined,
  })
  const shown = reviews.review(name)
  if (!shown)
    throw new GatewayError(
      'INVALID_PARAMS',
      `Nothing of '${name}' is ever held: it runs in the gateway, is off, or cannot start`,
      { hint: `portolan server test ${shellWord(name)} shows its state.` },
    )
  return {
    review: async () => shown,
    decide: async (decision) => reviews.decide(name, decision, thisPerson()),
    close: async () => pool.close(),
  }
}

function render({ server, blocked, problem, changes, lock }: ServerReview): void {
  const { line, paint } = createTerminal()
  if (problem !== null) line(`${paint('yellow', '⚠')} ${problem}`)
  if (blocked !== null)
    line(`${paint('red', '✗')} nothing of ${server} is used: ${visible(blocked)}`)
  for (const { kind, name, reasons, since, hold, rejected, diff } of changes) {
    const state = rejected ? 'rejected' : `held since ${since}`
    const meanwhile = hold === 'text' ? 'agents read the accepted text' : 'agents do not see it'
    line(`${paint('yellow', '⚠')} ${kind} ${paint('bold', visible(name))}: ${state}; ${meanwhile}`)
    for (const reason of reasons) line(`    ${visible(reason)}`)
    for (const text of diff) line(`      ${paint(COLOURS[text[0] ?? ''] ?? 'gray', visible(text))}`)
  }
  if (changes.length === 0) return line(`Nothing of ${server} is held.`)
  const where = lock === null ? '' : `, also in ${lock}`
  line(
    `\n${count(changes.length, 'change')}. Use them${where}: portolan server review ${shellWord(server)} --accept\nNever use them: --reject. For some of them, give their names.`,
  )
}

const COLOURS: Readonly<Record<string, 'green' | 'red'>> = { '+': 'green', '-': 'red' }
