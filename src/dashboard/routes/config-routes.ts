import type { FileStatus } from '../../config/reload/reloader.ts'
import { hide } from '../../base/secrets.ts'
import type { ConfigFile, Reload } from '../contract.ts'
import { describeSettings } from '../views/describe-settings.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

export function configRoutes(sources: Sources): Route[] {
  return [
    defineRoute('GET /config', {
      role: 'viewer',
      answer() {
        const { config, reloads } = sources
        const { mcp_config, gateway_rules, settings } = reloads.status
        return {
          files: [
            toFile('mcp', config.paths.mcp, mcp_config),
            toFile('rules', config.paths.rules, gateway_rules),
            toFile('settings', config.paths.settings, settings),
          ],
          warnings: config.warnings.map(hide),
          history: reloads.history.map(cleanReload),
          settings: describeSettings(config.settings),
        }
      },
    }),
    defineRoute('POST /config/reload', {
      role: 'admin',
      async answer() {
        await sources.reload()
        const [reload] = sources.reloads.history
        if (!reload)
          throw new HttpError(409, 'NOTHING_TO_RELOAD', 'This gateway was not started from files')
        return { reload: cleanReload(reload) }
      },
    }),
  ]
}

function toFile(
  kind: ConfigFile['kind'],
  path: string | undefined,
  status: FileStatus,
): ConfigFile {
  return {
    kind,
    path: path ?? null,
    lastAttempt: status.last_attempt,
    lastSuccess: status.last_success,
    lastError: status.last_error === null ? null : hide(status.last_error),
    attempts: status.attempt_count,
    successes: status.success_count,
    warnings: status.last_warnings.map(hide),
  }
}

/** A mistake may quote what stood in the file. */
export function cleanReload(reload: Reload): Reload {
  return {
    ...reload,
    summary: hide(reload.summary),
    problems: reload.problems.map(hide),
    warnings: reload.warnings.map(hide),
  }
}
