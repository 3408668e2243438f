import type { ServerProbe } from '../../dashboard/contract/servers.ts'
import { messageOf } from '../../base/errors.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Listing, Upstream } from '../../gateway/upstream.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { nextStep, worthReading } from '../../upstreams/output/explain-output.ts'

export type { ServerProbe }

/** Starts or reaches a server, and lists its tools. */
export async function probe(upstream: Upstream, timeoutMs: number): Promise<ServerProbe> {
  const startedAt = performance.now()
  const took = () => Math.round(performance.now() - startedAt)
  try {
    const { tools } = await withTimeout(list(upstream), timeoutMs, () => {
      throw new GatewayError('TIMEOUT', `no answer within ${Math.round(timeoutMs / 100) / 10} s`)
    })
    const tokens = definitionTokens(tools.map(({ definition }) => definition))
    return { ms: took(), tools: tools.length, tokens }
  } catch (error) {
    const lines = upstream.output.map(({ text }) => text)
    const failed = {
      ms: took(),
      output: worthReading(lines),
      nextStep: nextStep(upstream.name, lines),
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
async function list(upstream: Upstream): Promise<Listing> {
  if (upstream.status.state === 'ready') await upstream.refresh?.()
  return upstream.live()
}

export function definitionTokens(definitions: readonly unknown[]): number {
  return definitions.reduce<number>(
    (sum, definition) => sum + countTokens(JSON.stringify(definition)),
    0,
  )
}
