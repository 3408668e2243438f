import type { JsonObject } from '../../../../protocol/json-rpc.ts'
import { ApiProblem } from '../../api-problem.ts'

interface Rule {
  readonly expected: string
  readonly suggestion: string
  holds(value: unknown): boolean
}

const ID: Rule = {
  expected: 'an id of at least 5 characters',
  suggestion: 'Give an LPN id such as 6401492020FLE249; nsip_search_animals finds them.',
  holds: (value) => typeof value === 'string' && value.trim().length >= 5,
}

const RULES: Readonly<Record<string, Rule>> = {
  search_string: ID,
  lpn_id: ID,
  breed_id: {
    expected: 'a positive integer',
    suggestion: 'Call nsip_list_breeds for valid ids; Katahdin is 640.',
    holds: (value) => isInteger(value) && Number(value) > 0,
  },
  page: {
    expected: 'an integer from 0',
    suggestion: 'Pages count from 0.',
    holds: (value) => isInteger(value) && Number(value) >= 0,
  },
  page_size: {
    expected: 'an integer from 1 to 100',
    suggestion: 'Ask for at most 100 at once and page through the rest.',
    holds: (value) => isInteger(value) && Number(value) >= 1 && Number(value) <= 100,
  },
}

const REQUIRED: Readonly<Record<string, string>> = {
  nsip_get_animal: 'search_string',
  nsip_get_lineage: 'lpn_id',
  nsip_get_progeny: 'lpn_id',
  nsip_search_by_lpn: 'lpn_id',
  nsip_get_trait_ranges: 'breed_id',
}

/** Numbers may come as text: one version of the contract has breed ids that way. */
function isInteger(value: unknown): boolean {
  return Number.isInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value.trim()))
}

/** Refuses what the API would answer with nonsense, and names every mistake at once. */
export function checkArguments(tool: string, args: JsonObject): void {
  const required = REQUIRED[tool]
  const names = new Set([...Object.keys(args), ...(required === undefined ? [] : [required])])
  const problems = [...names].flatMap((parameter) => {
    const rule = RULES[parameter]
    const value = args[parameter]
    const isMissing = value === undefined || value === null
    if (!rule || (isMissing ? parameter !== required : rule.holds(value))) return []
    const { expected, suggestion } = rule
    return [{ parameter, value: value ?? null, expected, suggestion }]
  })
  const [first] = problems
  if (!first) return
  const message = problems.map(({ parameter, expected }) => `${parameter} must be ${expected}`)
  throw new ApiProblem('invalid', message.join('; '), { tool, server: 'nsip', problems })
}
