import { commandsFor } from '../../config/servers/missing-variables.ts'
import { MANY_SESSIONS } from '../../gateway/upstream.ts'
import type { Note } from '../contract/overview.ts'
import type { Server } from '../contract/servers.ts'
import type { Sources } from '../sources.ts'

/** Returns problems that need attention, the worst first. */
export function findNotes(
  { config, reloads, auditLog }: Sources,
  servers: readonly Server[],
): Note[] {
  const { dropped, lastError } = auditLog.status
  const problems = Object.values(reloads.status).flatMap(({ last_error }) => last_error ?? [])
  return [
    ...problems.map((text) =>
      error(
        `The last reload found a mistake: ${text}`,
        'Until it is corrected, the last valid content is used.',
      ),
    ),
    ...(dropped > 0
      ? [error(`${dropped} audit entries were lost: ${lastError ?? ''}`, 'Free disk space.')]
      : []),
    ...servers.flatMap(noteOn),
    ...config.warnings.map((text) => warning(text, null)),
    ...(config.rules === undefined
      ? [info('There are no rules: every agent may use everything', 'See the guide on policies.')]
      : []),
  ]
}

function noteOn(server: Server): Note[] {
  const { name, state, breaker, error: reason, kind, restarts, sessionsLost } = server
  if (state === 'down') {
    const why = reason ?? ''
    const fix = commandsFor(why) ?? 'Fix its entry in .mcp.json.'
    const hint = kind === 'broken' ? fix : 'The gateway keeps trying.'
    return [error(`Server "${name}" is down: ${why}`, hint)]
  }
  if (state === 'starting' && restarts > 0)
    return [
      warning(`Server "${name}" is starting again after ${restarts} failures`, 'See its page.'),
    ]
  if (sessionsLost >= MANY_SESSIONS)
    return [
      warning(
        `Server "${name}" lost ${sessionsLost} of the gateway's sessions in the last hour`,
        'What it keeps for a session is lost each time. Look at its log.',
      ),
    ]
  if (breaker !== 'open') return []
  return [
    warning(`Server "${name}" is temporarily disabled after repeated failures`, 'See its page.'),
  ]
}

function error(text: string, hint: string | null): Note {
  return { level: 'error', text, hint }
}

function warning(text: string, hint: string | null): Note {
  return { level: 'warning', text, hint }
}

function info(text: string, hint: string | null): Note {
  return { level: 'info', text, hint }
}
