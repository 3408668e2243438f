import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Answer, Approval, Question, RuleChange } from './approval.ts'
import { editDiff } from './edit-diff.ts'

/** Makes Claude Code show a permission prompt with a header. */
const PERMISSION_DISPLAY = 'anthropic/permissionDisplay'
/** Longer arguments fill the screen; the Approvals page has all of them. */
const MAX_SHOWN = 4_000
const MAX_DIFF_LINES = 60

const MINUTES = 30
const DECISIONS = {
  once: 'Allow this call once',
  session: 'Allow this tool for the rest of the session',
  arguments: `Allow these arguments for ${MINUTES} minutes`,
  always: 'Always allow these arguments: changes the rules as shown',
  deny: 'Deny',
} as const

interface AskOptions {
  readonly hasSession: boolean
  /** What an answer for always changes; it cannot be given without. */
  readonly change: RuleChange | undefined
}

/** Returns the question in the form that clients show to a person. */
export function toElicitation(
  { id, question }: Approval,
  { hasSession, change }: AskOptions,
): JsonObject {
  const offered = Object.entries(DECISIONS).filter(
    ([decision]) => (decision !== 'session' || hasSession) && (decision !== 'always' || change),
  )
  const always = change && `“Always” changes ${change.path}:\n${change.diff.join('\n')}`
  const title = titleOfQuestion(question)
  return {
    mode: 'form',
    message: [
      `${title}\n${describeQuestion(question)}`,
      ...(always ? [always] : []),
      `Approval ${id}`,
    ].join('\n\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          enum: offered.map(([decision]) => decision),
          enumNames: offered.map(([, text]) => text),
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

/** The question in one line; a sub-agent without those above it, which the line of the agent names. */
export function titleOfQuestion({ agent, server, tool }: Question): string {
  return `${agent.replace(/<.*/s, '')} wants to call ${server}.${tool}`
}

/** What a person needs to know to decide, in lines; Claude Code shows the first of them only. */
export function describeQuestion(question: Question, maxShown = MAX_SHOWN): string {
  const { agent, person, client, folder, server, tool, rule } = question
  const shown = question.arguments
  const folded =
    shown.length <= maxShown
      ? shown
      : `${shown.slice(0, maxShown)}… (${shown.length - maxShown} more characters: \`portolan approvals show\`)`
  const diff = editDiff(shown)
  const lines = diff.slice(0, MAX_DIFF_LINES)
  return [
    `Arguments: ${folded}`,
    ...(diff.length > 0 ? ['Change:', ...lines] : []),
    ...(diff.length > lines.length ? [`… ${diff.length - lines.length} more lines`] : []),
    `Tool: ${tool} of ${server}`,
    `Agent: ${agent}${client === undefined ? '' : ` (${client})`}, for ${person}`,
    ...(folder === undefined ? [] : [`Folder: ${folder}`]),
    `Rule: ${rule}`,
  ].join('\n')
}

/** Reads what the client was answered; undefined if the person has not decided. */
export function fromElicitation(
  { action, content }: JsonObject,
  change: RuleChange | undefined,
): Answer | undefined {
  if (action === 'decline') return { approve: false }
  if (action !== 'accept') return undefined
  const { decision = 'once', reason } = isObject(content) ? content : {}
  if (decision === 'once' || decision === 'session') return { approve: true, scope: decision }
  if (decision === 'arguments') return { approve: true, scope: 'arguments', minutes: MINUTES }
  if (decision === 'always' && change) return { approve: true, scope: 'always', change }
  const hasReason = typeof reason === 'string' && reason.trim() !== ''
  return { approve: false, ...(hasReason && { reason: reason.trim() }) }
}
