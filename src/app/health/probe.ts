import type { ServerProbe } from '../../dashboard/contract/servers.ts'
import { messageOf } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { LOCAL_PERSON, asSeenByPerson } from '../../gateway/agents/on-behalf-of.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { heldIn } from '../../gateway/names/held-tool.ts'
import type { Listing, Upstream } from '../../gateway/upstream.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { nextStep, worthReading } from '../../upstreams/output/explain-output.ts'

export type { ServerProbe }

/** Starts or reaches a server, and lists its tools. */
export async function probe(upstream: Upstream, timeoutMs: number): Promise<ServerProbe> {
  const startedAt = performance.now()
  const took = () => Math.round(performance.now() - startedAt)
  try {
    const listing = await withTimeout(list(upstream), timeoutMs, () => {
      throw new GatewayError('TIMEOUT', `no answer within ${Math.round(timeoutMs / 100) / 10} s`)
    })
    const { tools, leftOut } = listing
    const held = heldIn(listing).map(({ kind, name, reasons }) => ({
      kind,
      name,
      reason: reasons.join('; '),
    }))
    const tokens = definitionTokens(tools.map(({ definition }) => definition))
    return { ms: took(), tools: tools.length, tokens, leftOut, held }
  } catch (error) {
    const lines = upstream.diagnostics.output.map(({ text }) => text)
    const { status } = upstream
    const failed = {
      ms: took(),
      output: worthReading(lines),
      nextStep:
        (status.state === 'down' ? status.nextStep : undefined) ?? nextStep(upstream.name, lines),
    }
    if (!(error instanceof GatewayError)) return { ...failed, error: messageOf(error) }
    const { reason = '', hint } = error.details
    return {
      ...failed,
      ...(ABOUT_SIGN_IN.has(reason) && { nextStep: hint }),
      error: error.message,
      signIn: reason === 'sign_in_needed' ? hint : undefined,
    }
  }
}

/** Reasons why signing in does not help; their hints are for people. */
const ABOUT_SIGN_IN: ReadonlySet<string> = new Set(['sign_in_failed', 'insufficient_scope'])

/** Lists a server that is up again: its last listing does not show that it answers now. */
export async function list(upstream: Upstream): Promise<Listing> {
  if (upstream.status.state === 'ready') await upstream.list({ again: true })
  return asSeenByPerson(upstream, LOCAL_PERSON).list()
}

/** Counts what models are sent of definitions: clients keep `_meta` to themselves. */
export function definitionTokens(definitions: readonly JsonObject[]): number {
  return definitions.reduce(
    (sum, { _meta, ...definition }) => sum + countTokens(JSON.stringify(definition)),
    0,
  )
}
