import type { ApiPort, CompositeTool, JsonObject, ServiceContext } from 'portolan'
import { isRefusal, list, object, refusal, text, texts } from '../values.ts'
import { parseCsv } from '../csv.ts'
import { knowledge, lookUpKnowledge } from '../knowledge.ts'
import { ancestryOf } from './ancestry.ts'
import { type FlockAnimal, analyzeFlock } from './flock-analysis.ts'
import { round, scoreBy, valuesOf } from './selection-index.ts'
import { INDEX, LPN, MAX_ANIMALS, inTurns, treeOf, weightsOf } from './tools.ts'
import { planTrait } from './trait-plan.ts'

const MAX_SIRES = 10
/** Headings that flock books use for the id of an animal. */
const ID_COLUMNS = ['lpn_id', 'lpn', 'id', 'animal_id', 'nsip_id']

/** Tools that compare many animals or plan over many years. */
export const analysisTools: readonly CompositeTool[] = [
  {
    definition: {
      name: 'nsip_analyze_flock',
      description:
        'Ranks the animals of a flock, names strong and weak traits, what to keep or cull, and statistics. Give one of lpn_ids, flock_id, csv.',
      inputSchema: {
        type: 'object',
        properties: {
          lpn_ids: { type: 'array', items: LPN, minItems: 1, maxItems: MAX_ANIMALS },
          flock_id: { type: 'string', description: 'Its first 100 animals' },
          csv: { type: 'string', description: 'Text of a CSV file with a column lpn_id' },
          index: INDEX,
        },
      },
      annotations: { readOnlyHint: true },
    },
    async run(args, api, context) {
      const { index = 'balanced' } = args
      const weights = await weightsOf(text(index), 'nsip_analyze_flock')
      const { animals, notFound } = await flockFrom(args, api, context)
      const analysis = analyzeFlock(animals, weights, await lowerIsBetter())
      return { index, ...analysis, ...(notFound.length > 0 && { not_found: notFound }) }
    },
  },
  {
    definition: {
      name: 'nsip_compare_sires',
      description: 'Compares sires by the breeding values of their offspring.',
      inputSchema: {
        type: 'object',
        properties: {
          sires: { type: 'array', items: LPN, minItems: 1, maxItems: MAX_SIRES },
          index: INDEX,
        },
        required: ['sires'],
      },
      annotations: { readOnlyHint: true },
    },
    async run({ sires, index = 'balanced' }, api, context) {
      const weights = await weightsOf(text(index), 'nsip_compare_sires')
      const compared = await inTurns(texts(sires), async (id) => {
        const page = object(
          await api.call('nsip_get_progeny', { lpn_id: id, page_size: 100 }, context),
        )
        const offspring = list(page['animals']).map(object)
        const averages = averageOf(offspring.map(valuesOf))
        const [best] = offspring.toSorted(
          (a, b) => scoreBy(weights, valuesOf(b)).score - scoreBy(weights, valuesOf(a)).score,
        )
        return {
          sire: id,
          ...scoreBy(weights, averages),
          offspring: page['total_count'],
          averaged: offspring.length,
          males: offspring.filter(({ sex }) => /^m/i.test(text(sex))).length,
          averages,
          best_offspring: best?.['lpn_id'] ?? null,
        }
      })
      return { index, sires: compared.toSorted((a, b) => b.score - a.score) }
    },
  },
  {
    definition: {
      name: 'nsip_ancestry',
      description: 'A pedigree explained: shares, repeated and notable ancestors, diversity.',
      inputSchema: { type: 'object', properties: { lpn_id: LPN }, required: ['lpn_id'] },
      annotations: { readOnlyHint: true },
    },
    run: async ({ lpn_id: id }, api, context) => ancestryOf(await treeOf(text(id), api, context)),
  },
  {
    definition: {
      name: 'nsip_trait_plan',
      description: 'How many generations of selection bring the average of a trait to a target.',
      inputSchema: {
        type: 'object',
        properties: {
          trait: { type: 'string' },
          current_average: { type: 'number' },
          target_value: { type: 'number' },
          standard_deviation: { type: 'number', exclusiveMinimum: 0 },
          intensity: { type: 'number', default: 1.4, exclusiveMinimum: 0 },
          years_per_generation: { type: 'number', default: 3, exclusiveMinimum: 0 },
        },
        required: ['trait', 'current_average', 'target_value', 'standard_deviation'],
      },
      annotations: { readOnlyHint: true },
    },
    async run(args) {
      const { trait, intensity = 1.4, years_per_generation: years = 3 } = args
      const heritability = await heritabilityOf(text(trait))
      const plan = planTrait({
        current: Number(args['current_average']),
        target: Number(args['target_value']),
        standardDeviation: Number(args['standard_deviation']),
        intensity: Number(intensity),
        intervalYears: Number(years),
        heritability,
      })
      return { trait, heritability, ...plan }
    },
  },
]

async function flockFrom(args: JsonObject, api: ApiPort, context: ServiceContext) {
  const flockId = text(args['flock_id'])
  if (flockId) {
    const asked = { page_size: 100, search_criteria: { flockId } }
    const page = object(await api.call('nsip_search_animals', asked, context))
    const animals = list(page['results']).map((row) => flockAnimal(object(row)))
    return { animals, notFound: [] }
  }
  const ids = [...new Set([...texts(args['lpn_ids']), ...idsOf(text(args['csv']))])]
  if (ids.length === 0 || ids.length > MAX_ANIMALS) {
    const message = ids.length === 0 ? 'No animals are named' : `${ids.length} animals are named`
    const expected = `lpn_ids, flock_id, or csv, with at most ${MAX_ANIMALS} animals`
    throw wrong('nsip_analyze_flock', message, { parameter: 'lpn_ids', expected })
  }
  const looked = await inTurns(ids, async (id) => {
    try {
      return flockAnimal(object(await api.call('nsip_get_animal', { search_string: id }, context)))
    } catch (error) {
      if (isRefusal(error) && error.details.status === 404) return id
      throw error
    }
  })
  return {
    animals: looked.filter((one) => typeof one !== 'string'),
    notFound: looked.filter((one) => typeof one === 'string'),
  }
}

function flockAnimal(animal: JsonObject): FlockAnimal {
  const year = /\d{4}/.exec(text(animal['date_of_birth']))?.[0]
  return {
    id: text(animal['lpn_id']),
    sex: text(animal['sex'] ?? animal['gender']),
    birthYear: year === undefined ? undefined : Number(year),
    values: valuesOf(animal),
  }
}

function idsOf(csv: string): string[] {
  const [header = [], ...rows] = parseCsv(csv)
  const names = header.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  )
  const column = ID_COLUMNS.map((name) => names.indexOf(name)).find((at) => at >= 0)
  if (column === undefined) return []
  return rows.map((row) => row[column]?.trim() ?? '').filter(Boolean)
}

function averageOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const traits = [...new Set(all.flatMap((values) => Object.keys(values)))]
  return Object.fromEntries(
    traits.map((trait) => {
      const known = all.flatMap((values) => values[trait] ?? [])
      const mean = known.reduce((sum, value) => sum + value, 0) / known.length
      return [trait, round(mean)]
    }),
  )
}

async function lowerIsBetter(): Promise<ReadonlySet<string>> {
  const traits = Object.entries(object((await knowledge())['traits']))
  return new Set(traits.filter(([, trait]) => object(trait)['better'] === 'lower').map(([t]) => t))
}

async function heritabilityOf(trait: string): Promise<number> {
  const all = object(await lookUpKnowledge('heritabilities', 'default'))
  const known = all[trait.toUpperCase()]
  if (typeof known === 'number') return known
  const expected = `one of ${Object.keys(all).join(', ')}`
  throw wrong('nsip_trait_plan', `There is no trait ${trait}`, { parameter: 'trait', expected })
}

function wrong(tool: string, message: string, problem: JsonObject): Error {
  return refusal('invalid', message, { tool, problems: [problem] })
}
