import { setTimeout as pause } from 'node:timers/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createApprovals } from '../../app/approvals.ts'
import { visible } from '../../base/text/visible.ts'
import { loadConfig, loadSettings } from '../../config/load.ts'
import { prepareAlways } from '../../config/rules/always-allow.ts'
import type { Answer, Answerer, Approval, RuleChange } from '../../gateway/approvals/approval.ts'
import { describeQuestion } from '../../gateway/approvals/elicitation.ts'
import { LOCAL_PERSON, personOf } from '../../gateway/agents/on-behalf-of.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { isGoodKey } from '../../identity/key-store.ts'
import { createAuditLog } from '../../telemetry/audit/audit-log.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { withKeys } from '../shared/identity-stores.ts'
import { withDatabase, withStoredConfig } from '../shared/with-database.ts'

/** Approvals as one person sees them. */
export interface OwnApprovals {
  readonly list: () => Promise<Approval[]>
  readonly find: (id: string) => Promise<Approval>
  /** Prepares the change of the rules that asked, by which they never do so again. */
  readonly prepareAlways: (id: string) => Promise<RuleChange>
  readonly answer: (id: string, answer: Answer) => Promise<Approval>
}

/** Opens the approvals of the data folder, or of the database that its replicas share. */
export async function withApprovals<Result>(
  options: ConfigOptions,
  use: (approvals: OwnApprovals) => Promise<Result>,
): Promise<Result> {
  const settings = loadSettings(await withStoredConfig(toLoadOptions(options)))
  return withDatabase(process.env, async (database) => {
    const { home, audit } = settings
    const auditLog = createAuditLog({
      path: audit.path ?? join(home, 'audit.jsonl'),
      maxBytes: audit.maxBytes,
      keep: audit.maxFiles,
    })
    const { approvals, close } = createApprovals({
      settings: () => settings,
      env: process.env,
      database,
      ledger: auditLog,
      auditLog,
    })
    try {
      return await use({
        list: async () => approvals.list(),
        find: async (id) => (await approvals.find(id)) ?? missing(id),
        prepareAlways: async (id) => {
          const asked = (await approvals.find(id)) ?? missing(id)
          const cwd = asked.question.exception?.folder ?? process.cwd()
          const load = await withStoredConfig({ ...toLoadOptions(options), cwd })
          return prepareAlways(asked, {
            place: { cwd, env: process.env },
            config: loadConfig(load),
          })
        },
        answer: async (id, answer) => approvals.answer(id, answer, await answererOf(options)),
      })
    } finally {
      await close()
      await auditLog.close()
    }
  })
}

const WATCH_EVERY_MS = 1_000

/** Calls back for every call that waits, and for each that comes to wait later. */
export async function watch(
  options: ConfigOptions,
  show: (approval: Approval) => void,
): Promise<void> {
  const shown = new Set<string>()
  await withApprovals(options, async ({ list }) => {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- One look after the other.
      for (const each of (await list()).toReversed()) {
        if (each.state !== 'pending' || shown.has(each.id)) continue
        shown.add(each.id)
        show(each)
      }
      // oxlint-disable-next-line no-await-in-loop
      await pause(WATCH_EVERY_MS)
    }
  })
}

/** Whoever can read the data folder answers as its person, or as the admin whose key is given. */
async function answererOf(options: ConfigOptions): Promise<Answerer> {
  const secret = process.env['PORTOLAN_KEY']
  const local = { groups: [], isAdmin: true, via: 'command' as const }
  if (!secret) return { ...local, name: userInfo().username, person: LOCAL_PERSON }
  const key = await withKeys(options, async (keys) => keys.find(secret))
  if (!key || !isGoodKey(key))
    throw new GatewayError('UNAUTHENTICATED', 'PORTOLAN_KEY is not a key of this gateway')
  if (key.role !== 'admin')
    throw new GatewayError('DENIED_BY_POLICY', `PORTOLAN_KEY is the key of agent '${key.agent}'`, {
      hint: 'Agents do not approve calls. Unset it, or set the key of an admin.',
    })
  const person = personOf({ id: key.agent, proof: 'key', key: key.id })
  return { ...local, name: key.agent, person, key: key.id }
}

function missing(id: string): never {
  throw new GatewayError('INVALID_PARAMS', `There is no approval '${id}'`, {
    hint: '`portolan approvals list` shows what waits.',
  })
}

const MAX_LINE = 100

/** One line: what waits, or what became of it. */
export function summary({ id, state, question, answeredBy }: Approval): string {
  const { agent, server, tool, arguments: args } = question
  const shown = args.length > MAX_LINE ? `${args.slice(0, MAX_LINE)}…` : args
  const by = answeredBy === undefined ? '' : ` by ${answeredBy}`
  return visible(`${id}  ${state}${by}  ${agent}  ${server}.${tool} ${shown}`)
}

export function details(approval: Approval): string {
  const { id, state, question, reason, answeredBy, via, usedBy, expiresAt } = approval
  return [
    `Approval ${id}: ${state}`,
    ...describeQuestion(question, Infinity).split('\n'),
    ...(answeredBy === undefined ? [] : [`Answered by ${answeredBy} (${via})`]),
    ...(reason === undefined ? [] : [`Reason: ${reason}`]),
    ...(usedBy === undefined ? [] : [`Used by call ${usedBy}`]),
    ...(state === 'pending' ? [`Expires: ${new Date(expiresAt).toISOString()}`] : []),
  ]
    .map(visible)
    .join('\n')
}

export function toJson(approval: Approval) {
  const { id, state, question, createdAt, expiresAt, answeredAt } = approval
  const { key: _key, exception: _exception, ...shown } = question
  const { scope, reason, answeredBy, via, usedBy } = approval
  return {
    id,
    state,
    ...shown,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    ...(answeredAt !== undefined && { answered_at: new Date(answeredAt).toISOString() }),
    ...(answeredBy !== undefined && { answered_by: answeredBy, via }),
    ...(scope !== undefined && { scope }),
    ...(reason !== undefined && { reason }),
    ...(usedBy !== undefined && { used_by: usedBy }),
  }
}
