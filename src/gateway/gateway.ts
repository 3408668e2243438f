import type { CallResult, Identified, Inbound } from './call.ts'
import type { Catalog } from './catalog.ts'
import { type Ledger, audit } from './layers/audit.ts'
import { authorize } from './layers/authorize.ts'
import { type Deadlines, deadline } from './layers/deadline.ts'
import { dispatch } from './layers/dispatch.ts'
import { type AgentDirectory, identify } from './layers/identify.ts'
import { limit } from './layers/limit.ts'
import { route } from './layers/route.ts'
import { type ShareOptions, share } from './layers/share.ts'
import { type Handler, Pipeline } from './pipeline.ts'
import type { Policy } from './policy.ts'
import type { Rates } from './rates.ts'

export interface GatewayParts {
  readonly ledger: Ledger
  readonly recording?: { readonly withArguments?: boolean }
  readonly agents: AgentDirectory
  readonly rates: Rates | undefined
  readonly catalog: Catalog
  readonly policy: Policy
  readonly deadlines: Deadlines
  readonly slots: ShareOptions
}

export interface Gateway {
  /** Takes one call to the upstream it is for. */
  readonly call: Handler<Inbound, CallResult>
  /** For what the gateway answers itself: recorded, identified and limited like any other call. */
  ask(inbound: Inbound, answer: Handler<Identified, CallResult>): Promise<CallResult>
}

/** The life of a call. Read down for the way in, up for the way out. */
export function createGateway(parts: GatewayParts): Gateway {
  const admitted = Pipeline.for<Inbound, CallResult>()
    .through(audit<Inbound>(parts.ledger, parts.recording)) // every call recorded once, however it ends
    .through(identify(parts.agents)) //       → Identified: who, and how we know
    .through(limit(parts.rates)) //           per agent

  return {
    ask: async (inbound, answer) => admitted.to(answer)(inbound),
    call: admitted
      .through(route(parts.catalog)) //       → Routed: which tool, on which upstream
      .through(authorize(parts.policy, parts.catalog)) // → Authorized: carries a grant
      .through(deadline(parts.deadlines)) //  answers in time, whatever the upstream does
      .through(share(parts.slots)) //         a fair share of the upstream's slots
      .to(dispatch()), //                     the one line that leaves the process
  }
}
