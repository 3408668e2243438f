import { compilePattern } from '../../base/text/glob.ts'

/** `prices` of the settings. */
export interface Prices {
  /** Of a million tokens of the model that an agent uses, by agent; may have wildcards. */
  readonly tokens: Readonly<Record<string, number>>
  /** Of one call, by "server.tool" or "server.*". */
  readonly calls: Readonly<Record<string, number>>
}

/** What a call costs whose result takes so many tokens of the agent's context. */
export type PriceOf = (call: PricedCall, tokens: number) => number

interface PricedCall {
  readonly agent?: string | undefined
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly decision?: string | undefined
  readonly cache?: string | undefined
}

/** Prices calls: the longest name or pattern that matches is taken. */
export function createPrices({ tokens, calls }: Prices): PriceOf {
  const ofAgent = priceBy(tokens)
  const ofTool = priceBy(calls)
  return (call, count) => {
    const { agent = 'unknown', server, tool, decision, cache } = call
    // A refused or a cached call costs nothing at its server.
    const isPaid = decision === 'ALLOW' && cache !== 'hit' && server !== undefined
    return (
      (count === 0 ? 0 : (count * ofAgent(agent)) / 1e6) +
      (isPaid && tool !== undefined ? ofTool(`${server}.${tool}`) : 0)
    )
  }
}

function priceBy(prices: Readonly<Record<string, number>>): (name: string) => number {
  const patterns = Object.entries(prices)
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([pattern, price]) => ({ matches: compilePattern(pattern.replace('__', '.')), price }))
  const known = new Map<string, number>()
  if (patterns.length === 0) return () => 0
  return (name) => {
    const price =
      prices[name] ?? known.get(name) ?? patterns.find(({ matches }) => matches(name))?.price ?? 0
    if (known.size < MAX_KNOWN) known.set(name, price)
    return price
  }
}

const MAX_KNOWN = 2_000
