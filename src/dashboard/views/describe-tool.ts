import { effectOf } from '../../gateway/tools/effect.ts'
import type { Tool as ListedTool, Upstream } from '../../gateway/upstream.ts'
import { signature } from '../../shaping/signature.ts'
import type { World } from '../../surfaces/world.ts'
import type { Tool } from '../contract/servers.ts'
import type { TokenCosts } from './token-costs.ts'
import type { Stats } from './usage.ts'

interface Parts {
  readonly world: World
  readonly costs: TokenCosts
  readonly stats: Stats['tools']
}

export function describeTool(
  upstream: Upstream,
  tool: ListedTool,
  { world, costs, stats }: Parts,
): Tool {
  const { definition, name } = tool
  return {
    name,
    title: textOf(definition['title']),
    description: textOf(definition['description']),
    effect: effectOf(tool),
    tokens: costs.ofTool(tool, world),
    maxTokens: world.budgets.maxTokens({ upstream, tool }) ?? null,
    signature: signature(definition, { maxLength: 400 }),
    calls: stats.get(`${upstream.name}/${name}`) ?? null,
  }
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
