import { userInfo } from 'node:os'
import { z } from 'zod'
import { LOCAL_PERSON } from '../../gateway/agents/on-behalf-of.ts'
import type { Rules } from '../../gateway/agents/rules.ts'
import type { Answer, Answerer, Approval } from '../../gateway/approvals/approval.ts'
import { whyNotAnswer } from '../../gateway/approvals/who-may-answer.ts'
import { toAnswerer } from '../access/answerer.ts'
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
    defineRoute('POST /approvals/:id/answer', {
      role: 'agent',
      body: z.object({
        approve: z.boolean(),
        minutes: z.int().min(1).max(MAX_MINUTES).optional(),
        reason: z.string().max(MAX_REASON).optional(),
      }),
      async answer({ visitor, params: { id = '' }, body }) {
        await approvals.answer(id, toAnswer(body), await answererOf(visitor, sources))
        return { ok: true }
      },
    }),
  ]
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
    return isSeen ? [toView(approval, visitor.mayChange && mayAnswer)] : []
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
    rule: question.rule,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    answeredBy: answeredBy ?? null,
    reason: reason ?? null,
    mayAnswer: mayAnswer && state === 'pending',
  }
}
