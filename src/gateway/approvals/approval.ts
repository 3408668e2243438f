import { createHash } from 'node:crypto'
import { canonicalJson } from '../../base/json/json.ts'
import { lineageOf } from '../agents/policy.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import type { Authorized } from '../call.ts'

/** How far an approval reaches: this call, these arguments for a while or always, or one session. */
export type Scope = 'once' | 'arguments' | 'session' | 'always'

export type ApprovalState = 'pending' | 'approved' | 'denied' | 'used' | 'expired'

/** What a person is shown. */
export interface Question {
  readonly agent: string
  /** The name in which the call goes out. */
  readonly person: string
  readonly client?: string | undefined
  readonly folder?: string | undefined
  readonly server: string
  readonly tool: string
  /** The name of the tool for agents, if the configuration gives it another. */
  readonly shownAs?: string | undefined
  /** JSON, without secrets. */
  readonly arguments: string
  readonly rule: string
  /** The calls that a script plans to make: an answer is about each of them. */
  readonly covers?: readonly PlannedCall[] | undefined
  /** What an answer for always would add to the rules; absent where that is not possible. */
  readonly exception?: Exception | undefined
  /** The key that the caller proved itself with: whoever holds it cannot answer. */
  readonly key?: string | undefined
}

/** A call that a plan has not made, and that needs approval. */
export interface PlannedCall extends Pick<Question, 'server' | 'tool' | 'arguments' | 'rule'> {
  readonly bond: Bond
}

/** Arguments that the entry of a rule could leave out of its questions. */
export interface Exception {
  /** The text of the entry as it was. */
  readonly source: string
  /** JSON, with the defaults of the tool; it holds no secret. */
  readonly arguments: string
  /** The folder whose configuration has the rule. */
  readonly folder?: string | undefined
}

/** A change of the rules that has been prepared and not made. */
export interface RuleChange {
  readonly path: string
  /** The changed lines. */
  readonly diff: readonly string[]
  apply(by: string): Promise<void>
}

/** Who has answered, and in which way. */
export interface Answerer {
  readonly name: string
  /** `personOf` this person's own calls. */
  readonly person: string
  readonly groups: readonly string[]
  readonly isAdmin: boolean
  /** Whether a token proves who they are: their agents hold it as well. */
  readonly hasToken?: boolean | undefined
  readonly key?: string | undefined
  /** `link`: whoever has the link of a webhook, which does not say who they are. */
  readonly via: 'client' | 'page' | 'command' | 'link'
}

export type Answer =
  | {
      readonly approve: true
      readonly scope: Exclude<Scope, 'always'>
      readonly minutes?: number | undefined
    }
  | { readonly approve: true; readonly scope: 'always'; readonly change: RuleChange }
  | { readonly approve: false; readonly reason?: string | undefined }

/** A call that waits for a person, or what they have answered. */
export interface Approval {
  readonly id: string
  readonly state: ApprovalState
  readonly question: Question
  readonly createdAt: number
  readonly expiresAt: number
  readonly scope: Scope | undefined
  readonly reason: string | undefined
  readonly answeredBy: string | undefined
  readonly via: string | undefined
  readonly answeredAt: number | undefined
  /** The call that has used it up. */
  readonly usedBy: string | undefined
}

/** What an approval is for. Whatever changes in a call gives it another bond. */
export interface Bond {
  /** This very call. */
  readonly call: string
  /** Any call of this tool, by this caller, under this rule, in this session. */
  readonly session: string
}

/** Binds an approval to caller, person, server, tool and its definition, rule and arguments. */
export function bondOf({ agent, upstream, tool, grant, method, params, client }: Authorized): Bond {
  const { arguments: args, name, uri } = params
  const terms = [
    lineageOf(agent),
    ownerOfResults(agent),
    upstream.name,
    method,
    tool?.name ?? name ?? uri,
    digest(tool?.definition),
    grant.ask?.rule,
    grant.ask?.source,
  ]
  return {
    call: digest([...terms, args ?? {}]),
    session: digest([...terms, 'session', client.session]),
  }
}

/** Binds an answer to a whole list of calls. */
export function bondOfAll(calls: readonly PlannedCall[]): Bond {
  const bonds = calls.map(({ bond }) => bond)
  return { call: digest(['calls', bonds]), session: digest(['no session', bonds]) }
}

function digest(value: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(value ?? null))
    .digest('base64url')
}
