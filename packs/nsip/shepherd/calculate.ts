import type { CompositeTool, JsonObject } from 'portolan'
import { object, refusal, text } from '../values.ts'
import { round } from '../breeding/selection-index.ts'
import { knowledge } from '../knowledge.ts'
import { regionNamed } from './regions.ts'

const TOOL = 'shepherd_calculate'
const DAY_MS = 86_400_000
const GESTATION_DAYS = 147
/** The resale value of a ram, as a share of his price. */
const SALVAGE = 0.2

type Numbers = Readonly<Record<string, number>>

interface Calculation {
  /** The names of the required numbers. */
  readonly needs: readonly string[]
  readonly run: (numbers: Numbers, args: JsonObject) => unknown
}

const CALCULATIONS: Readonly<Record<string, Calculation>> = {
  breakeven: {
    needs: ['cost_per_ewe', 'lambs_per_ewe', 'weight_per_lamb'],
    run: ({ cost_per_ewe: cost = 0, lambs_per_ewe: lambs = 0, weight_per_lamb: weight = 0 }) => ({
      price_per_lamb: quotient(cost, lambs),
      price_per_unit_of_weight: quotient(cost, lambs * weight),
    }),
  },
  ram_roi: {
    needs: ['price', 'extra_value_per_lamb', 'lambs_per_year', 'years'],
    run({ price = 0, extra_value_per_lamb: extra = 0, lambs_per_year: lambs = 0, years = 0 }) {
      const gain = extra * lambs * years
      const salvage = price * SALVAGE
      const net = gain + salvage - price
      return {
        gain: round(gain),
        salvage: round(salvage),
        net: round(net),
        roi_percent: quotient(100 * net, price),
      }
    },
  },
  profitability: {
    needs: ['ewes', 'lambs_per_ewe', 'price_per_lamb', 'cost_per_ewe'],
    run(numbers) {
      const { ewes = 0, lambs_per_ewe: lambs = 0, price_per_lamb: price = 0 } = numbers
      const { cost_per_ewe: cost = 0, other_income: other = 0 } = numbers
      const revenue = ewes * lambs * price + other
      const profit = revenue - ewes * cost
      return {
        revenue: round(revenue),
        cost: round(ewes * cost),
        profit: round(profit),
        profit_per_ewe: quotient(profit, ewes),
      }
    },
  },
  marketing: { needs: ['lambs'], run: ({ lambs = 0 }, args) => compareChannels(lambs, args) },
  breeding_dates: { needs: [], run: (_, { date }) => breedingDates(dateOf(date)) },
  vaccination: { needs: [], run: (_, { date }) => vaccinations(dateOf(date)) },
  parasite_risk: {
    needs: ['month'],
    run: async ({ month = 0 }, args) => parasiteRisk(month, args),
  },
}

/** Calculations that a shepherd would do on paper. */
export const calculateTool: CompositeTool = {
  definition: {
    name: TOOL,
    description:
      'Calculates break-even, return on a ram, profit, the best market, breeding and vaccination dates, parasite risk.',
    inputSchema: {
      type: 'object',
      properties: {
        calculation: { type: 'string', enum: Object.keys(CALCULATIONS) },
        numbers: {
          type: 'object',
          additionalProperties: { type: 'number' },
          description: describeNeeds(),
        },
        date: { type: 'string', description: 'Day the rams go in, or of lambing; YYYY-MM-DD' },
        region: { type: 'string' },
        channels: {
          type: 'object',
          description: 'Markets: {name: {price, cost}} per lamb',
          additionalProperties: { type: 'object' },
        },
      },
      required: ['calculation'],
    },
    annotations: { readOnlyHint: true },
  },
  async run(args) {
    const name = text(args['calculation'])
    const { needs, run } = CALCULATIONS[name] ?? { needs: [], run: () => ({}) }
    const numbers = numbersIn(object(args['numbers']))
    const missing = needs.filter((need) => numbers[need] === undefined)
    if (missing.length > 0) throw wrong('numbers', `numbers.${missing.join(', numbers.')}`)
    return { calculation: name, result: await run(numbers, args) }
  },
}

function describeNeeds(): string {
  return Object.entries(CALCULATIONS)
    .filter(([, { needs }]) => needs.length > 0)
    .map(([name, { needs }]) => `${name}: ${needs.join(', ')}`)
    .join('; ')
}

function numbersIn(given: JsonObject): Numbers {
  const all = Object.entries(given).map(([name, value]) => [name, value] as const)
  return Object.fromEntries(
    all.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value] as const] : [])),
  )
}

/** Returns null for a division by zero. */
function quotient(a: number, b: number): number | null {
  return b === 0 ? null : round(a / b)
}

function compareChannels(lambs: number, { channels }: JsonObject) {
  const all = Object.entries(object(channels)).map(([name, raw]) => {
    const { price = 0, cost = 0 } = numbersIn(object(raw))
    return { name, net_per_lamb: round(price - cost), net: round(lambs * (price - cost)) }
  })
  if (all.length === 0) throw wrong('channels', 'markets with price and cost per lamb')
  const ranked = all.toSorted((a, b) => b.net - a.net)
  return { best: ranked[0]?.name, channels: ranked }
}

function breedingDates(ramsIn: Date) {
  return {
    rams_in: day(ramsIn, 0),
    lambing_begins: day(ramsIn, GESTATION_DAYS),
    rams_out_after_two_cycles: day(ramsIn, 34),
    lambing_ends: day(ramsIn, 34 + GESTATION_DAYS),
    to_lamb_on_that_day_rams_in: day(ramsIn, -GESTATION_DAYS),
  }
}

function vaccinations(lambing: Date) {
  return {
    ewes_cdt: day(lambing, -28),
    lambs_cdt_from: day(lambing, 42),
    lambs_cdt_until: day(lambing, 56),
    lambs_cdt_again: day(lambing, 84),
  }
}

const RISKS = ['low', 'moderate', 'high']

/** Returns the risk, one step lower outside the months in which a region's parasites are active. */
async function parasiteRisk(month: number, { region: given }: JsonObject) {
  const known = await knowledge()
  const region = regionNamed(known, text(given), TOOL)
  if (!region) throw wrong('region', 'a region, a state or a ZIP code')
  const { risk, advice } = object(object(known['diseases'])['internal parasites'])
  const inSeason = [region['parasite_months']].flat().includes(month)
  const level = RISKS.indexOf(text(object(risk)[region.name])) - (inSeason ? 0 : 1)
  return { region: region.name, in_season: inSeason, risk: RISKS[Math.max(0, level)], advice }
}

function dateOf(given: unknown): Date {
  const date = new Date(`${text(given)}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) throw wrong('date', 'a date such as 2026-11-16')
  return date
}

function day(from: Date, offset: number): string {
  return new Date(from.getTime() + offset * DAY_MS).toISOString().slice(0, 10)
}

function wrong(parameter: string, expected: string): Error {
  const problems = [{ parameter, expected, suggestion: `Give ${expected}.` }]
  const message = `The calculation needs ${expected}`
  return refusal('invalid', message, { tool: TOOL, problems })
}
