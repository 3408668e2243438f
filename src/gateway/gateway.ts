import type { CallResult, Identified, Inbound } from './call.ts'
import type { Catalog } from './catalog.ts'
import { type Ledger, type AuditOptions, audit } from './layers/audit.ts'
import type { PlannedCall } from './approvals/approval.ts'
import type { AskingParts } from './approvals/ask-person.ts'
import { approve, approvePlan } from './layers/approve.ts'
import { authorize } from './layers/authorize.ts'
import { breaker } from './layers/breaker.ts'
import { type Budgets, type Shaper, budget } from './layers/budgets.ts'
import { type CacheRules, cache } from './layers/cache.ts'
import { type ConcurrencyOptions, concurrency } from './layers/concurrency.ts'
import { type Deadlines, deadline } from './layers/deadlines.ts'
import { dispatch } from './layers/dispatch.ts'
import { type AgentDirectory, identify } from './layers/identify.ts'
import { type ScanText, inspect } from './layers/inspect.ts'
import { limit } from './layers/limits.ts'
import { plan } from './layers/plan.ts'
import { type RetryOptions, retry } from './layers/retry.ts'
import { route } from './layers/route.ts'
import { taskRequests } from './layers/task-requests.ts'
import { type TaskOptions, taskKeeper, tasks } from './layers/tasks.ts'
import { hop, trace } from './layers/trace.ts'
import { turn } from './layers/turn.ts'
import { validate } from './layers/validate.ts'
import { type Handler, Pipeline } from './pipeline.ts'
import type { Policy } from './agents/policy.ts'
import type { RateLimits } from './state/rate-limits.ts'
import type { GatewayState } from './state.ts'
import type { Tracing } from './tracing.ts'

export interface GatewayParts {
  readonly tracing?: Tracing | undefined
  readonly ledger: Ledger
  readonly recording: AuditOptions
  readonly agents: AgentDirectory
  readonly rates: RateLimits | undefined
  readonly catalog: Catalog
  readonly policy: Policy
  readonly shaper: Shaper
  readonly budgets: Budgets
  readonly cacheRules: CacheRules
  /** Finds text in results that addresses the model; without it, they are not scanned. */
  readonly scanText?: ScanText | undefined
  readonly retries: RetryOptions
  readonly deadlines: Deadlines
  readonly concurrency: ConcurrencyOptions
  readonly tasks: TaskOptions
  /** Without it, calls that need approval are denied. */
  readonly approvals?: AskingParts | undefined
  /** State that outlives these parts. */
  readonly state: GatewayState
}

export interface Gateway {
  /** Sends one call to its upstream. */
  readonly call: Handler<Inbound, CallResult>
  /** Answers callers that are not agents: recorded, and nothing else. */
  record(inbound: Inbound, answer: Handler<Inbound, CallResult>): Promise<CallResult>
  /**
   * Runs what the gateway answers itself: recorded, identified and limited like any other call, and
   * one such answer per pass of the event loop.
   */
  ask(inbound: Inbound, answer: Handler<Identified, CallResult>): Promise<CallResult>
  /** Asks a person about all calls that a script plans; throws if they are not approved. */
  approvePlan(planned: readonly PlannedCall[], call: Identified): Promise<void>
}

/** The life of a call. Read down for the way in, up for the way out. */
export function createGateway(parts: GatewayParts): Gateway {
  const { state } = parts
  const ledger: Ledger = {
    record(event) {
      state.futile.record(event)
      parts.ledger.record(event)
    },
  }
  const recorded = Pipeline.for<Inbound, CallResult>()
    .through(trace(parts.tracing)) //                   its place in a trace, if traces are exported
    .through(audit<Inbound>(ledger, parts.recording)) // recorded once, however it ends
  const admitted = recorded
    .through(identify(parts.agents)) //                 → Identified: who, and how we know
    .through(limit(parts.rates, state.futile)) //       per agent

  return {
    record: async (inbound, answer) => recorded.to(answer)(inbound),
    approvePlan: async (planned, call) =>
      parts.approvals && approvePlan(parts.approvals, planned, call),
    ask: async (inbound, answer) => admitted.through(turn()).to(answer)(inbound),
    call: admitted
      .through(route(parts.catalog)) //                 → Routed: which tool, on which upstream
      .through(authorize(parts.policy, parts.catalog, parts.deadlines)) // → Authorized: carries a grant
      .through(budget(parts.shaper, parts.budgets)) //  way out: fits the result to the grant
      .through(taskRequests(state.tasks)) //            requests about tasks
      .through(validate(parts.policy)) //               arguments: conditions of rules, then the tool's schema
      .through(plan()) //                               in a plan, only reads go further
      .through(approve(parts.approvals, taskKeeper(state.tasks, parts.tasks))) // asks a person, where a rule says so
      .through(cache(state, parts.cacheRules)) // whole results of read-only tools
      .through(inspect(parts.scanText)) //              marks what addresses the model, where settings ask for it
      .through(retry(parts.retries, state.retryBudgets)) // only what is safe to repeat
      .through(breaker(state.circuits)) //              per upstream; sees every try
      .through(deadline(parts.deadlines)) //            in time, whatever the upstream does
      .through(tasks(state.tasks, parts.tasks, state.staleAfter)) // long calls outlive their request
      .through(concurrency(parts.concurrency, (server) => state.slotsOf(server))) // a fair share of the upstream's slots
      .through(hop(parts.tracing)) //                   tells the upstream its place in the trace
      .to(dispatch()), //                               the one line that leaves the process
  }
}
