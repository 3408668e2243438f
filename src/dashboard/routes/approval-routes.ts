import { userInfo } from 'node:os'
import { z } from 'zod'
import { LOCAL_PERSON } from '../../gateway/agents/on-behalf-of.ts'
import type { Rules } from '../../gateway/agents/rules.ts'
import type { Answer, Answerer, Approval, RuleChange } from '../../gateway/approvals/approval.ts'
import { editDiff } from '../../gateway/approvals/edit-diff.ts'
import { whyNotAnswer } from '../../gateway/approvals/who-may-answer.ts'
import { HttpError } from '../../http/http-error.ts'
import { toAnswerer } from '../access/answerer.ts'
import { mustMayChange } from '../access/may-change.ts'
import type { Visitor } from '../access/visitor.ts'
import type { ApprovalView } from '../contract/approvals.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

const MAX_MINUTES = 24 * 60
const MAX_REASON = 500

/** Calls that wait for a person, and their answers. */
export function approvalRoutes(sources: Sources): Route[] {
  const { approvals } = sources
  return [
    defineRoute('GET /approvals', {
      role: 'agent',
      answer: async ({ visitor }) => ({ approvals: await listFor(visitor, sources) }),
    }),
    defineRoute('GET /approvals/waiting', {
      role: 'agent',
      answer: async ({ visitor }) => {
        const all = asks(sources.config.rules) ? await listFor(visitor, sources) : []
        return { waiting: all.filter(({ state }) => state === 'pending').length }
      },
    }),
    defineRoute('GET /approvals/:id/always', {
      role: 'admin',
      async answer({ visitor, params: { id = '' } }) {
        // The change has the arguments of the call in it.
        mustMayChange(visitor)
        const { path, diff } = await alwaysFor(id, sources)
        return { path, diff }
      },
    }),
    defineRoute('POST /approvals/:id/answer', {
      role: 'agent',
      body: z.object({
        approve: z.boolean(),
        minutes: z.int().min(1).max(MAX_MINUTES).optional(),
        always: z.boolean().optional(),
        reason: z.string().max(MAX_REASON).optional(),
      }),
      async answer({ visitor, params: { id = '' }, body }) {
        const by = await answererOf(visitor, sources)
        if (body.approve !== true || body.always !== true) {
          await approvals.answer(id, toAnswer(body), by)
          return { ok: true }
        }
        if (visitor.role !== 'admin')
          throw new HttpError(403, 'ROLE_REQUIRED', 'Only an admin changes the rules')
        const change = await alwaysFor(id, sources)
        await approvals.answer(id, { approve: true, scope: 'always', change }, by)
        await Promise.all(sources.folders().map(async (folder) => folder.reload()))
        return { ok: true }
      },
    }),
  ]
}

/** Prepares the change of the rules that asked, in whichever folder they are. */
async function alwaysFor(id: string, { approvals, folders }: Sources): Promise<RuleChange> {
  const asked = await approvals.find(id)
  if (!asked) throw new HttpError(404, 'NOT_FOUND', `There is no approval '${id}'`)
  const all = folders()
  const folder = all.find(({ path }) => path === asked.question.exception?.folder) ?? all[0]
  if (!folder) throw new HttpError(503, 'SERVER_UNAVAILABLE', 'No folder is open')
  const { prepareAlways } = await import('../../config/rules/always-allow.ts')
  return prepareAlways(asked, { place: folder.files, config: folder.config })
}

interface Given {
  readonly approve?: boolean | undefined
  readonly minutes?: number | undefined
  readonly reason?: string | undefined
}

function toAnswer({ approve, minutes, reason }: Given): Answer {
  if (approve !== true) return { approve: false, reason: reason?.trim() || undefined }
  return { approve, scope: minutes === undefined ? 'once' : 'arguments', minutes }
}

/** Whether any rule asks: otherwise there is nothing to look for. */
function asks(rules: Rules | undefined): boolean {
  const all = [...Object.values(rules?.agents ?? {}), ...Object.values(rules?.groups ?? {})]
  return all.some(({ ask }) => ask !== undefined)
}

async function answererOf(visitor: Visitor, { world }: Sources): Promise<Answerer> {
  const { via, role, caller } = visitor
  if (via !== 'local' && via !== 'open') return toAnswerer(visitor, await world.identify(caller))
  const isAdmin = role === 'admin'
  return { name: userInfo().username, person: LOCAL_PERSON, groups: [], isAdmin, via: 'page' }
}

async function listFor(visitor: Visitor, sources: Sources): Promise<ApprovalView[]> {
  const { approvals } = sources
  const by = await answererOf(visitor, sources)
  const all = await approvals.list()
  return all.flatMap((approval) => {
    const mayAnswer = whyNotAnswer(approval.question, by, approvals.options) === undefined
    const isSeen = mayAnswer || visitor.role !== 'agent' || approval.question.person === by.person
    if (!isSeen) return []
    const view = toView(approval, visitor.mayChange && mayAnswer)
    return [{ ...view, mayBeAlways: view.mayBeAlways && visitor.role === 'admin' }]
  })
}

function toView(approval: Approval, mayAnswer: boolean): ApprovalView {
  const { id, state, question, createdAt, expiresAt, answeredBy, reason } = approval
  return {
    id,
    state,
    agent: question.agent,
    person: question.person,
    client: question.client ?? null,
    folder: question.folder ?? null,
    server: question.server,
    tool: question.tool,
    arguments: mayAnswer ? question.arguments : null,
    diff: mayAnswer ? editDiff(question.arguments) : [],
    rule: question.rule,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    answeredBy: answeredBy ?? null,
    reason: reason ?? null,
    mayAnswer: mayAnswer && state === 'pending',
    mayBeAlways: mayAnswer && state === 'pending' && question.exception !== undefined,
  }
}
