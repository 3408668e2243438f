import type { ApiPort, CompositeTool, JsonObject, ServiceContext } from 'portolan'
import { object, refusal, text, texts } from '../values.ts'
import { knowledge, lookUpKnowledge } from '../knowledge.ts'
import type { Ancestor } from '../read-lineage.ts'
import { topPercent } from './flock-analysis.ts'
import { Pedigree, riskOf } from './kinship.ts'
import { planMatings } from './mating-plan.ts'
import { round, scoreBy, valuesOf } from './selection-index.ts'

export const LPN = { type: 'string', minLength: 5 }
export const INDEX = {
  type: 'string',
  default: 'balanced',
  description: 'Index, or goal, such as hair',
}
/** The most animals of a call; up to two requests are sent for each. */
export const MAX_ANIMALS = 40
const AT_ONCE = 6

export const breedingTools: readonly CompositeTool[] = [
  {
    definition: {
      name: 'nsip_inbreeding',
      description: 'Inbreeding of the offspring of a ram and an ewe, from their pedigrees.',
      inputSchema: {
        type: 'object',
        properties: { ram_lpn: LPN, ewe_lpn: LPN },
        required: ['ram_lpn', 'ewe_lpn'],
      },
      annotations: { readOnlyHint: true },
    },
    run: async ({ ram_lpn: ram, ewe_lpn: ewe }, api, context) =>
      inbreeding(text(ram), text(ewe), api, context),
  },
  {
    definition: {
      name: 'nsip_selection_index',
      description: 'Ranks animals by a selection index and says which traits were missing.',
      inputSchema: {
        type: 'object',
        properties: {
          lpn_ids: { type: 'array', items: LPN, minItems: 1, maxItems: MAX_ANIMALS },
          index: INDEX,
          weights: {
            type: 'object',
            additionalProperties: { type: 'number' },
            description: 'An index of your own: {trait: weight}',
          },
        },
        required: ['lpn_ids'],
      },
      annotations: { readOnlyHint: true },
    },
    async run({ lpn_ids: ids, index: named = 'balanced', weights: own }, api, context) {
      const index = own === undefined ? named : 'own weights'
      const weights =
        own === undefined
          ? await weightsOf(text(named), 'nsip_selection_index')
          : toWeights(object(own))
      const ranked = await inTurns(texts(ids), async (id) => {
        const animal = await api.call('nsip_get_animal', { search_string: id }, context)
        return { lpn_id: id, ...scoreBy(weights, valuesOf(animal)) }
      })
      const ranking = ranked
        .toSorted((a, b) => b.score - a.score)
        .map((each, n) => ({ ...each, top_percent: topPercent(n, ranked.length) }))
      return { index, weights, ranking }
    },
  },
  {
    definition: {
      name: 'nsip_mating_plan',
      description: 'Pairs ewes with rams by expected breeding values and inbreeding.',
      inputSchema: {
        type: 'object',
        properties: {
          rams: { type: 'array', items: LPN, minItems: 1, maxItems: 10 },
          ewes: { type: 'array', items: LPN, minItems: 1, maxItems: MAX_ANIMALS },
          goal: INDEX,
          max_inbreeding_percent: { type: 'number', default: 6.25, minimum: 0, maximum: 100 },
          max_ewes_per_ram: { type: 'integer', default: 35, minimum: 1 },
        },
        required: ['rams', 'ewes'],
      },
      annotations: { readOnlyHint: true },
    },
    async run(args, api, context) {
      const {
        goal = 'balanced',
        max_inbreeding_percent: most = 6.25,
        max_ewes_per_ram: each = 35,
      } = args
      const weights = await weightsOf(text(goal), 'nsip_mating_plan', 'goal')
      const ids = [...texts(args['rams']), ...texts(args['ewes'])]
      const animals = await inTurns([...new Set(ids)], async (id) => breeder(id, api, context))
      const byId = new Map(animals.map((animal) => [animal.id, animal]))
      const of = (names: readonly string[]) => names.flatMap((id) => byId.get(id) ?? [])
      const plan = planMatings(
        of(texts(args['rams'])),
        of(texts(args['ewes'])),
        new Pedigree(animals.map(({ tree }) => tree)),
        { weights, maxInbreeding: Number(most) / 100, maxEwesPerRam: Number(each) },
      )
      return { goal, weights, ...plan }
    },
  },
]

export async function inbreeding(ram: string, ewe: string, api: ApiPort, context: ServiceContext) {
  const trees = await Promise.all([ram, ewe].map(async (id) => treeOf(id, api, context)))
  const pedigree = new Pedigree(trees)
  const coefficient = pedigree.kinship(ram, ewe)
  return {
    ram_lpn: ram,
    ewe_lpn: ewe,
    inbreeding_percent: round(coefficient * 100),
    risk: riskOf(coefficient),
    common_ancestors: pedigree.commonAncestors(ram, ewe),
    generations_known: Math.min(...trees.map(depthOf)),
  }
}

async function breeder(id: string, api: ApiPort, context: ServiceContext) {
  const [animal, tree] = await Promise.all([
    api.call('nsip_get_animal', { search_string: id }, context),
    treeOf(id, api, context),
  ])
  return { id, values: valuesOf(animal), tree }
}

export async function treeOf(id: string, api: ApiPort, context: ServiceContext): Promise<Ancestor> {
  const { sire, dam } = object(await api.call('nsip_get_lineage', { lpn_id: id }, context))
  return { lpn_id: id, ...(isAncestor(sire) && { sire }), ...(isAncestor(dam) && { dam }) }
}

function isAncestor(value: unknown): value is Ancestor {
  return typeof object(value)['lpn_id'] === 'string'
}

function depthOf({ sire, dam }: Ancestor): number {
  const above = [sire, dam].flatMap((parent) => (parent ? [1 + depthOf(parent)] : []))
  return Math.max(0, ...above)
}

export async function weightsOf(
  index: string,
  tool: string,
  parameter = 'index',
): Promise<Record<string, number>> {
  const found = object(await lookUpKnowledge('indexes', index))
  if (Object.keys(found).length > 0) return toWeights(found)
  const known = Object.keys(object((await knowledge())['indexes'])).join(', ')
  const problems = [{ parameter, value: index, expected: `one of ${known}` }]
  const message = `There is no index ${index}`
  throw refusal('invalid', message, { tool, problems })
}

function toWeights(raw: JsonObject): Record<string, number> {
  const named = Object.entries(raw).map(([trait, w]) => [trait.toUpperCase(), Number(w)] as const)
  return Object.fromEntries(named)
}

/** Works on a few animals at once, so that a public API is not flooded. */
export async function inTurns<T>(
  ids: readonly string[],
  work: (id: string) => Promise<T>,
): Promise<T[]> {
  const done: T[] = []
  for (let at = 0; at < ids.length; at += AT_ONCE)
    done.push(...(await Promise.all(ids.slice(at, at + AT_ONCE).map(work))))
  return done
}
