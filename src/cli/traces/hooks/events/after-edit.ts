import { basename, relative } from 'node:path'
import { detectProject, projectRoot } from '../detect-project.ts'
import { fire } from './fire.ts'
import type { HookAnswer, HookContext } from '../hook-context.ts'
import { type HookInput, textOf } from '../hook-input.ts'
import { withoutSensitive } from '../redact.ts'
import { eventsOf } from '../memory/session-log.ts'

const DOMAINS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)(?:Dockerfile|(?:docker-)?compose[\w.-]*\.ya?ml)$/, 'docker'],
  [/(?:^|\/)(?:\.github\/workflows|\.gitlab-ci|\.circleci)/, 'continuous integration'],
  [/\.tf$|(?:^|\/)terraform\//, 'terraform'],
  [/(?:^|\/)(?:k8s|kubernetes|helm|charts)\//, 'kubernetes'],
  [/(?:^|\/)migrations?\/|\.sql$|schema\.prisma$/, 'database migration'],
  [/(?:^|[/_-])(?:auth|oauth|login|sessions?|jwt)(?:[/._-]|$)/i, 'authentication'],
  [/(?:^|[/_-])(?:payments?|billing|stripe|checkout)(?:[/._-]|$)/i, 'payment'],
  [/(?:^|[/_-])(?:queues?|workers?|jobs?)(?:[/._-]|$)/i, 'background jobs'],
  [/(?:^|[/_-])webhooks?(?:[/._-]|$)/i, 'webhook'],
  [/nginx[\w.-]*\.conf$|(?:^|\/)nginx\//, 'nginx'],
]

/** Records edits; searches for traces at the first edit in a new domain. */
export async function afterEdit(input: HookInput, context: HookContext): Promise<HookAnswer> {
  const { log, now } = context
  const file = textOf(input.args['file_path'] ?? input.args['notebook_path'])
  if (file === '' || input.error !== undefined) return {}
  await log.add({ kind: 'edited', at: now, file })
  return enterDomain(input, file, context)
}

async function enterDomain(
  { cwd }: HookInput,
  file: string,
  context: HookContext,
): Promise<HookAnswer> {
  const path = relative(projectRoot(cwd), file)
  const domain = DOMAINS.find(([pattern]) => pattern.test(path))?.[1]
  if (domain === undefined || withoutSensitive([basename(file)]).length === 0) return {}
  const events = await context.log.events()
  if (eventsOf(events, 'entered').some((each) => each.domain === domain)) return {}
  await context.log.add({ kind: 'entered', at: context.now, domain })
  if (!(await fire('domain_entry', events, context))) return {}
  const project = await detectProject(cwd)
  const { text } = await context.search({
    q: [domain, project.language, project.framework].filter(Boolean).join(' '),
    context: { ...project },
  })
  return text === '' ? {} : { context: `Traces about ${domain}.\n${text}` }
}
