import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Answer, Approval, Question } from './approval.ts'

/** Makes Claude Code show a permission prompt with a header. */
const PERMISSION_DISPLAY = 'anthropic/permissionDisplay'
/** Longer arguments fill the screen; the Approvals page has all of them. */
const MAX_SHOWN = 4_000

const DECISIONS = {
  once: 'Allow this call once',
  session: 'Allow this tool for the rest of the session',
  arguments: 'Allow these arguments for 30 minutes',
  deny: 'Deny',
} as const
const MINUTES = 30

/** Returns the question in the form that clients show to a person. */
export function toElicitation({ id, question }: Approval, hasSession: boolean): JsonObject {
  const { once, session, arguments: these, deny } = DECISIONS
  const offered = { once, ...(hasSession && { session }), arguments: these, deny }
  const title = `${question.agent} wants to call ${question.server}.${question.tool}`
  return {
    mode: 'form',
    message: `${title}\n\n${describeQuestion(question)}\n\nApproval ${id}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          enum: Object.keys(offered),
          enumNames: Object.values(offered),
          default: 'once',
        },
        reason: {
          type: 'string',
          title: 'Reason',
          description: 'Why not, or what to do instead: the agent reads it.',
        },
      },
    },
    _meta: {
      [PERMISSION_DISPLAY]: {
        title: 'Approval needed',
        displayName: `${question.server}.${question.tool}`,
        description: title,
      },
    },
  }
}

/** What a person needs to know to decide, in lines. */
export function describeQuestion(question: Question, maxShown = MAX_SHOWN): string {
  const { agent, person, client, folder, server, tool, rule } = question
  const shown = question.arguments
  const folded =
    shown.length <= maxShown
      ? shown
      : `${shown.slice(0, maxShown)}… (${shown.length - maxShown} more characters: \`portolan approvals show\`)`
  return [
    `Agent: ${agent}${client === undefined ? '' : ` (${client})`}, for ${person}`,
    ...(folder === undefined ? [] : [`Folder: ${folder}`]),
    `Tool: ${tool} of ${server}`,
    `Arguments: ${folded}`,
    `Rule: ${rule}`,
  ].join('\n')
}

/** Reads what the client was answered; undefined if the person has not decided. */
export function fromElicitation({ action, content }: JsonObject): Answer | undefined {
  if (action === 'decline') return { approve: false }
  if (action !== 'accept') return undefined
  const { decision = 'once', reason } = isObject(content) ? content : {}
  if (decision === 'once' || decision === 'session') return { approve: true, scope: decision }
  if (decision === 'arguments') return { approve: true, scope: 'arguments', minutes: MINUTES }
  const hasReason = typeof reason === 'string' && reason.trim() !== ''
  return { approve: false, ...(hasReason && { reason: reason.trim() }) }
}
