import { effectsIn } from '../../gateway/tools/effect.ts'
import { z } from 'zod'
import { notesOnNames } from '../../config/rules/explain-access.ts'
import type { Config } from '../../config/load.ts'
import { mergeRules } from '../../config/rules/merge-rules.ts'
import { parseRules, undefinedServers } from '../../config/rules/parse-rules.ts'
import type { Problem } from '../../config/problem.ts'
import { type Rules, createPolicy } from '../../gateway/agents/policy.ts'
import type { PolicyAnswer, PolicyProblem } from '../contract/agents.ts'
import { type Explaining, explain, explainServers, explainTools } from '../views/explain-agent.ts'
import { maybe, text } from '../inputs.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import type { TokenCosts } from '../views/token-costs.ts'

const question = z.object({ agent: text, server: text, tool: maybe, rules: z.unknown().optional() })

type Question = z.output<typeof question>

/** Evaluates the rules in force, or other rules, without making a call. */
export function policyRoutes(sources: Sources, costs: TokenCosts): Route[] {
  return [
    defineRoute('GET /policy', {
      role: 'viewer',
      answer() {
        const { rules, paths } = sources.config
        return { path: paths.rules ?? null, rules: rules ? toFile(rules) : null }
      },
    }),
    defineRoute('POST /policy/check', {
      role: 'viewer',
      body: question,
      async answer({ body }) {
        await costs.prepare(sources.world)
        return check(question.parse(body), sources, costs)
      },
    }),
  ]
}

function check(asked: Question, sources: Sources, costs: TokenCosts): PolicyAnswer {
  const { world, config } = sources
  const { agent: id, server, tool } = asked
  const current = explain(world.policy, { id }, server, tool)
  if (asked.rules === undefined)
    return { ...decide(asked, { policy: world.policy, world, costs }, config), current: null }
  const { rules: file, problems, warnings } = parseRules(asked.rules, 'rules')
  const rules = file && mergeRules([file])
  if (!rules) return { ...UNDECIDED, problems: problems.map(toProblem), warnings, current }
  const edited = {
    policy: createPolicy(rules, { effectOf: effectsIn(world.catalog) }),
    world,
    costs,
  }
  return {
    ...decide(asked, edited, { ...config, rules }),
    warnings: [...warnings, ...undefinedServers(rules, config.servers)],
    current,
  }
}

const UNDECIDED: PolicyAnswer = {
  valid: false,
  problems: [],
  warnings: [],
  verdict: null,
  current: null,
  notes: [],
  servers: [],
  tools: [],
}

function decide(asked: Question, explaining: Explaining, config: Config): PolicyAnswer {
  const { agent: id, server, tool } = asked
  const { policy, world } = explaining
  const upstream = world.catalog.server(server)
  const unheard = tool !== undefined && upstream && !world.catalog.tool(server, tool)
  return {
    ...UNDECIDED,
    valid: true,
    verdict: explain(policy, { id }, server, tool),
    notes: [
      ...notesOnNames(asked, config),
      ...(unheard ? [`server "${server}" has not listed a tool "${tool}"`] : []),
    ],
    servers: explainServers(explaining, { id }),
    tools: upstream ? explainTools(explaining, { id }, upstream) : [],
  }
}

function toProblem({ path, message, hint }: Problem): PolicyProblem {
  return { path, message, hint: hint ?? null }
}

/** Returns rules in the format of `.mcp-gateway-rules.json`. */
function toFile({ agents, denyOnMissingAgent }: Rules) {
  return { agents, defaults: { deny_on_missing_agent: denyOnMissingAgent } }
}
