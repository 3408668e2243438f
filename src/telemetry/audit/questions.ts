import type { JsonObject } from '../../base/json/json.ts'
import { getOrMake } from '../../base/maps.ts'
import { compileCondition, conditionsReady } from '../../gateway/conditions/condition.ts'
import { proposeCondition } from './propose-condition.ts'

/** Enough to see what is usual. */
const MAX_SAMPLES = 2_000

/** How often one rule would have asked about the calls of one agent. */
export interface RuleQuestions {
  readonly agent: string
  readonly rule: string
  calls: number
  /** Calls whose arguments are not on record, and decide: part of `calls`. */
  undecided: number
  /** By day, such as `2026-11-15`. */
  readonly days: Map<string, number>
}

/** Arguments that a rule could leave out of its questions. */
export interface Proposal {
  readonly rule: string
  readonly tool: string
  /** A schema for `unless` of the rule. */
  readonly unless: JsonObject
  /** The calls that it would not have asked about, of those whose arguments are on record. */
  readonly covers: number
  readonly of: number
}

export interface AskedCall {
  readonly agent: string
  readonly rule: string
  readonly tool: string
  readonly timestamp: string
  /** Undefined if they are not on record. */
  readonly args: JsonObject | undefined
  readonly isDecided: boolean
  /** Whether a person or a rule has refused it: it is no example of what needs no question. */
  readonly wasRefused: boolean
}

/** Counts the questions that rules would have asked about recorded calls. */
export class Questions {
  readonly #counts = new Map<string, RuleQuestions>()
  /** By rule and tool. */
  readonly #samples = new Map<string, { rule: string; tool: string; args: JsonObject[] }>()

  add({ agent, rule, tool, timestamp, args, isDecided, wasRefused }: AskedCall): void {
    const count = getOrMake(this.#counts, JSON.stringify([agent, rule]), () => ({
      agent,
      rule,
      calls: 0,
      undecided: 0,
      days: new Map<string, number>(),
    }))
    count.calls++
    if (!isDecided) count.undecided++
    const day = timestamp.slice(0, 10)
    count.days.set(day, (count.days.get(day) ?? 0) + 1)
    if (!args || wasRefused || !rule.includes('.ask.tools.')) return
    const sample = getOrMake(this.#samples, JSON.stringify([rule, tool]), () => ({
      rule,
      tool,
      args: [],
    }))
    if (sample.args.length < MAX_SAMPLES) sample.args.push(args)
  }

  /** The most calls first. */
  all(): RuleQuestions[] {
    return [...this.#counts.values()].toSorted((a, b) => b.calls - a.calls)
  }

  /** Proposes what rules could leave out, as far as recorded arguments show what is usual. */
  async proposals(): Promise<Proposal[]> {
    const found = [...this.#samples.values()].flatMap(({ rule, tool, args }) => {
      const unless = proposeCondition(args)
      return unless ? [{ rule, tool, args, unless, condition: compileCondition(unless) }] : []
    })
    await conditionsReady()
    return found
      .map(({ rule, tool, args, unless, condition }) => {
        const covers = args.filter((each) => condition.test(each) === true).length
        return { rule, tool, unless, covers, of: args.length }
      })
      .filter(({ covers, of }) => covers * 2 >= of)
      .toSorted((a, b) => b.covers - a.covers)
  }
}
