import { z } from 'zod'
import { effectsIn } from '../../gateway/tools/effect.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { whoIs } from '../../identity/who-is.ts'
import type { AccessChange } from '../contract/agents.ts'
import { knownNames } from '../views/known-names.ts'
import { maybe, text } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { DashboardParts } from '../views/describe-server.ts'
import { authorOf, mustBeInFiles } from './history-routes.ts'

const MAX_CHANGES = 200
const changes = z
  .array(
    z.object({
      agent: text,
      server: text,
      tool: maybe,
      effect: z.enum(['allow', 'ask', 'deny']),
      when: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .min(1)
  .max(MAX_CHANGES)
const draft = z.object({ changes })
const application = z.object({ changes, digests: z.record(z.string(), z.string()) })

/** The editor of the rules: what changes would do, and making them. Its code is loaded when used. */
export function rulesRoutes({ sources }: DashboardParts): Route[] {
  return [
    defineRoute('POST /rules/condition', {
      role: 'viewer',
      changes: false,
      body: z.object({ when: z.unknown() }),
      async answer({ body }) {
        const { checkCondition } = await import('../../config/rules/check-condition.ts')
        return { problems: checkCondition(body.when) }
      },
    }),
    defineRoute('POST /rules/draft', {
      role: 'viewer',
      changes: false,
      body: draft,
      async answer({ body }) {
        mustBeInFiles(sources)
        const { describeDraft } = await import('../views/draft-rules.ts')
        const { config, auditSearch, world } = sources
        const known = await knownNames(sources)
        return describeDraft(draft.parse(body).changes, {
          config,
          auditSearch,
          principal: (agent) => whoIs(agent, known),
          policyOf: (rules) =>
            createPolicy(rules, { denials: config.denials, effectOf: effectsIn(world.catalog) }),
        })
      },
    }),
    defineRoute('POST /rules/apply', {
      role: 'admin',
      body: application,
      async answer({ visitor, body }) {
        const place = mustBeInFiles(sources)
        const [{ draftFiles, rulesOf }, { changeFile }, { withAccess }] = await Promise.all([
          import('../views/draft-rules.ts'),
          import('../../config/history/change-file.ts'),
          import('../../config/rules/edit-access.ts'),
        ])
        const wanted = application.parse(body)
        const drafts = draftFiles(wanted.changes, sources.config)
        // Files that would not be valid are not written.
        rulesOf(drafts, sources.config)
        const versions: number[] = []
        for (const { path, changes: own } of drafts) {
          const { version } = await changeFile(place, {
            file: path,
            by: authorOf(visitor),
            reason: own.map(sentenceOf).join(', '),
            expected: wanted.digests[path] ?? '',
            edit: (before) => own.reduce(withAccess, before),
          })
          if (version !== undefined) versions.push(version)
        }
        recordChange(sources, visitor, 'rules.change', { changes: wanted.changes.map(sentenceOf) })
        await sources.reload()
        return { versions }
      },
    }),
  ]
}

function sentenceOf({ agent, server, tool, effect, when }: AccessChange): string {
  const target = tool === undefined ? server : `${server}/${tool}`
  return `${effect} ${agent} ${target}${when ? ' with a condition' : ''}`
}
