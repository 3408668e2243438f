import { randomBytes } from 'node:crypto'
import type { Environment } from '../../base/environment.ts'
import type {
  Answer,
  Answerer,
  Approval,
  Bond,
  Question,
  Scope,
} from '../../gateway/approvals/approval.ts'
import type { ApprovalStore } from '../../gateway/approvals/approvals.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import type { Seal } from '../../identity/vault/seal.ts'
import type { SharedDatabase } from '../../replicas/database/open-database.ts'
import type { ApprovalRow, ApprovalRows } from '../../storage/shared/approvals.ts'

/** So that an agent in a loop cannot bury the questions of others. */
const MAX_WAITING = 50
/** The longest that an approval for a session is good, whatever becomes of the session. */
const SESSION_MS = 12 * 3_600_000

/** The changed rules apply within a second; until then nobody is asked twice. */
const UNTIL_RULES_APPLY_MS = 60_000

export interface StoredApprovals {
  readonly store: ApprovalStore
  close(): Promise<void>
}

/** Opens the approvals that replicas share, or those in the database of the data folder. */
export async function openApprovals(
  home: string,
  database: Pick<SharedDatabase, 'storage' | 'seal'> | undefined,
  env: Environment,
): Promise<StoredApprovals> {
  const { createApprovalRows } = await import('../../storage/shared/approvals.ts')
  if (database) {
    const { storage, seal } = database
    return { store: createStore(createApprovalRows(storage), seal), close: async () => {} }
  }
  const [{ openStorage }, { openSeal }] = await Promise.all([
    import('../../storage/open-storage.ts'),
    import('../../identity/vault/open-vault.ts'),
  ])
  const seal = openSeal(identityFiles(home).vaultKey, env)
  const storage = await openStorage({ home })
  return {
    store: createStore(createApprovalRows(storage), seal),
    close: async () => storage.close(),
  }
}

function createStore(rows: ApprovalRows, seal: Seal): ApprovalStore {
  const toApproval = (row: ApprovalRow): Approval => ({
    id: row.id,
    state: row.state,
    question: openQuestion(seal, row),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    scope: toScope(row.scope),
    reason: row.reason ?? undefined,
    answeredBy: row.answered_by ?? undefined,
    via: row.via ?? undefined,
    answeredAt: row.answered_at ?? undefined,
    usedBy: row.used_by ?? undefined,
  })

  return {
    async claim(bond, callId) {
      for (const row of await rows.answersTo(bond)) {
        if (row.state === 'denied' || row.scope !== 'once') return toApproval(row)
        // oxlint-disable-next-line no-await-in-loop -- Another caller may be faster.
        const used = await rows.use(row.id, callId)
        if (used) return toApproval(used)
      }
      return undefined
    },
    async ask(bond: Bond, question: Question, expiresAt: number) {
      const waiting = await rows.waitingFor(bond.call)
      if (waiting) return { approval: toApproval(waiting), isNew: false }
      if ((await rows.waitingOf(question.agent)) >= MAX_WAITING) throw tooMany()
      const row = newRow(bond, question, expiresAt)
      const isNew = await rows.add(row)
      const asked = isNew ? row : await rows.waitingFor(bond.call)
      return { approval: toApproval(asked ?? row), isNew }
    },
    async answer(id: string, answer: Answer, by: Answerer) {
      const asked = await rows.find(id)
      const { covers = [], ...question } = asked ? openQuestion(seal, asked) : UNREADABLE
      const covered = covers.map(({ bond, ...call }) =>
        newRow(bond, { ...question, ...call }, asked?.expires_at ?? 0),
      )
      return toMaybe(
        await rows.answer(id, { answered_by: by.name, via: by.via, ...toColumns(answer) }, covered),
      )
    },
    find: async (id) => toMaybe(await rows.find(id)),
    list: async () => (await rows.list()).map(toApproval),
    expire: async () => (await rows.expire()).map(toApproval),
  }

  function newRow(bond: Bond, question: Question, expiresAt: number): ApprovalRow {
    const id = randomBytes(5).toString('hex')
    return {
      id,
      state: 'pending',
      call_bond: bond.call,
      session_bond: bond.session,
      waiting_bond: bond.call,
      agent: question.agent,
      question: seal.close(JSON.stringify(question), nameOf(id)),
      scope: null,
      reason: null,
      answered_by: null,
      via: null,
      created_at: Date.now(),
      answered_at: null,
      expires_at: expiresAt,
      used_by: null,
    }
  }

  function toMaybe(row: ApprovalRow | undefined): Approval | undefined {
    return row && toApproval(row)
  }
}

/** How long an answer is good from now on; undefined for one that lasts as long as its question. */
function msOf(answer: Answer & { approve: true }): number | undefined {
  if (answer.scope === 'always') return UNTIL_RULES_APPLY_MS
  if (answer.scope === 'session') return SESSION_MS
  return answer.minutes === undefined ? undefined : answer.minutes * 60_000
}

function toColumns(answer: Answer): Partial<ApprovalRow> {
  if (!answer.approve) return { state: 'denied', reason: answer.reason ?? null }
  const ms = msOf(answer)
  return {
    state: 'approved',
    scope: answer.scope,
    ...(ms !== undefined && { expires_at: Date.now() + ms }),
  }
}

function nameOf(id: string): string {
  return `approval ${id}`
}

const UNREADABLE: Question = {
  agent: '',
  person: '',
  server: '',
  tool: '',
  arguments: 'This question was sealed with another key and cannot be read.',
  rule: '',
}

function openQuestion(seal: Seal, { id, agent, question }: ApprovalRow): Question {
  try {
    const opened: Question = JSON.parse(seal.open(question, nameOf(id)))
    return opened
  } catch {
    return { ...UNREADABLE, agent }
  }
}

const SCOPES = ['once', 'arguments', 'session', 'always'] as const

function toScope(scope: string | null): Scope | undefined {
  return SCOPES.find((each) => each === scope)
}

function tooMany(): GatewayError {
  return new GatewayError('RATE_LIMITED', `${MAX_WAITING} calls of this agent wait for approval`, {
    hint: 'Wait until a person has answered some of them.',
  })
}
