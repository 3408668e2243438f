import type { Environment } from '../base/environment.ts'
import { messageOf } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Settings } from '../config/settings/settings.ts'
import type { Approval } from '../gateway/approvals/approval.ts'
import { type ApprovalListener, Approvals } from '../gateway/approvals/approvals.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import type { SharedDatabase } from '../replicas/database/open-database.ts'
import { createApprovalLinks } from '../identity/approval-links.ts'
import { newEvent } from '../surfaces/inbound.ts'
import type { AuditLog } from '../telemetry/audit/audit-log.ts'
import { APPROVALS } from '../telemetry/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { createWebhook } from './approval-webhook.ts'
import type { StoredApprovals } from './stored/stored-approvals.ts'

export interface ApprovalParts {
  readonly settings: () => Settings
  readonly env: Environment
  readonly database: SharedDatabase | undefined
  readonly ledger: Ledger
  readonly auditLog?: Pick<AuditLog, 'flush'>
  /** What a running gateway has, which tells others of questions. */
  readonly gateway?: { readonly log: Log; readonly secret: () => Buffer }
}

/** The approvals of a process; their store is opened with the first question. */
export function createApprovals(parts: ApprovalParts) {
  const { settings, env, database, ledger, auditLog, gateway } = parts
  let opening: Promise<StoredApprovals> | undefined
  const open = async () => {
    const { openApprovals } = await import('./stored/stored-approvals.ts')
    opening ??= openApprovals(settings().home, database, env).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return (await opening).store
  }
  const links = gateway && createApprovalLinks(gateway.secret)
  let address: (() => Promise<string>) | undefined
  const linkTo = async (id: string) => {
    const origin = settings().listen.publicUrl ?? (await address?.())
    return origin && links && new URL(links.pathOf(id), origin).href
  }
  const webhook = createWebhook({ settings, env, linkTo })
  const record: ApprovalListener = async (what, approval) => {
    ledger.record(toEvent(what, approval))
    if (what === 'asked' && gateway)
      void webhook.send(approval).catch(failed(approval, gateway.log))
    // Before the call leaves: whoever reads the audit after a crash must know that it may have.
    if (what === 'used') await auditLog?.flush()
  }
  /** The question stays, and is answered in other ways. */
  const failed = (approval: Approval, log: Log) => (error: unknown) => {
    log.error(messageOf(error))
    ledger.record({ ...toEvent('undelivered', approval), error: messageOf(error) })
  }
  return {
    approvals: new Approvals(open, () => settings().approvals, record),
    links,
    /** Sets how the pages of this process are opened, and where they are then. */
    reachedAt: (pages: () => Promise<string>) => {
      address = pages
    },
    close: async () => {
      await webhook.close()
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}

function toEvent(what: Parameters<ApprovalListener>[0] | 'undelivered', approval: Approval) {
  const { id, state, question, answeredBy, via, answeredAt, createdAt, scope, usedBy } = approval
  const details: JsonObject = {
    approval: id,
    server: question.server,
    tool: question.tool,
    rule: question.rule,
    ...(what === 'answered' && {
      by: answeredBy,
      via,
      ...(scope !== undefined && { scope }),
      after_ms: (answeredAt ?? createdAt) - createdAt,
    }),
    ...(what === 'used' && { call_id: usedBy }),
  }
  return {
    ...newEvent(APPROVALS),
    agent: question.agent,
    tool: `approvals.${what}`,
    decision: state === 'denied' || state === 'expired' ? ('DENY' as const) : ('ALLOW' as const),
    outcome: what === 'answered' ? state : what,
    durationMs: 0,
    arguments: details,
  }
}
