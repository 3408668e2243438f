import { effectsIn } from '../../gateway/tools/effect.ts'
import { z } from 'zod'
import { notesOnNames } from '../../config/rules/explain-access.ts'
import type { Config } from '../../config/load.ts'
import { mergeRules } from '../../config/rules/merge-rules.ts'
import { parseRules } from '../../config/rules/parse-rules.ts'
import { undefinedServers } from '../../config/rules/undefined-names.ts'
import type { Problem } from '../../config/problem.ts'
import { type Principal, createPolicy } from '../../gateway/agents/policy.ts'
import type { Rules } from '../../gateway/agents/rules.ts'
import type { PolicyAnswer, PolicyProblem } from '../contract/agents.ts'
import { whoIs } from '../../identity/who-is.ts'
import { knownNames } from '../views/known-names.ts'
import { type Explaining, explain, explainServers, explainTools } from '../views/explain-agent.ts'
import { maybe, text } from '../inputs.ts'
import { type Route, defineRoute } from '../route.ts'
import type { DashboardParts } from '../views/describe-server.ts'

const question = z.object({ agent: text, server: text, tool: maybe, rules: z.unknown().optional() })

type Question = z.output<typeof question>

/** Evaluates the rules in force, or other rules, without making a call. */
export function policyRoutes(parts: DashboardParts): Route[] {
  const { sources, costs } = parts
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
      changes: false,
      body: question,
      async answer({ body }) {
        await costs.prepare(sources.world)
        const asked = question.parse(body)
        return check(asked, whoIs(asked.agent, await knownNames(sources)), parts)
      },
    }),
  ]
}

function check(
  asked: Question,
  agent: Principal,
  { sources, costs }: DashboardParts,
): PolicyAnswer {
  const { world, config } = sources
  const { server, tool } = asked
  const inForce = { policy: world.policy, world, costs }
  if (asked.rules === undefined) return { ...decide(asked, agent, inForce, config), current: null }
  const current = explain(world.policy, agent, server, tool)
  const { rules: file, problems, warnings } = parseRules(asked.rules, 'rules')
  const rules = file && mergeRules([file])
  if (!rules) return { ...UNDECIDED, problems: problems.map(toProblem), warnings, current }
  const edited = {
    policy: createPolicy(rules, {
      denials: config.denials,
      effectOf: effectsIn(world.catalog),
    }),
    world,
    costs,
  }
  return {
    ...decide(asked, agent, edited, { ...config, rules }),
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

function decide(
  asked: Question,
  agent: Principal,
  explaining: Explaining,
  config: Config,
): PolicyAnswer {
  const { server, tool } = asked
  const { policy, world } = explaining
  const upstream = world.catalog.server(server)
  const isUnlisted = tool !== undefined && upstream && !world.catalog.tool(server, tool)
  return {
    ...UNDECIDED,
    valid: true,
    verdict: explain(policy, agent, server, tool),
    notes: [
      ...notesOnNames({ ...asked, who: agent }, config),
      ...(isUnlisted ? [`server "${server}" has not listed a tool "${tool}"`] : []),
    ],
    servers: explainServers(explaining, agent).cells,
    tools: upstream ? explainTools(explaining, agent, upstream) : [],
  }
}

function toProblem({ path, message, hint }: Problem): PolicyProblem {
  return { path, message, hint }
}

/** Returns rules in the format of `.mcp-gateway-rules.json`. */
function toFile({ agents, groups = {}, denyOnMissingAgent }: Rules) {
  return {
    agents,
    ...(Object.keys(groups).length > 0 && { groups }),
    defaults: { deny_on_missing_agent: denyOnMissingAgent },
  }
}
