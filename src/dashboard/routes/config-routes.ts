import type { Config } from '../../config/load.ts'
import type { FileStatus } from '../../config/reload/reloader.ts'
import { hide } from '../../base/secrets/secrets.ts'
import type { ConfigFile, Reload, Setting } from '../contract/config.ts'
import { HttpError } from '../../http/http-error.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import { authorOf, mustBeInFiles } from './history-routes.ts'
import { textOf } from '../../config/text-of.ts'
import { describeContent } from '../../config/trust/describe-content.ts'
import { hashOf } from '../../config/trust/named-files.ts'
import { describeLeftOut } from '../../config/trust/untrusted.ts'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { leaves } from '../../config/settings/schema-tree.ts'
import { type Settings, settingsSchema } from '../../config/settings/settings.ts'
import { isObject } from '../../base/json/json.ts'
import { hideFields } from '../../base/secrets/hide-fields.ts'

export function configRoutes(sources: Sources): Route[] {
  return [
    defineRoute('GET /config', {
      role: 'viewer',
      answer() {
        const { config, reloads } = sources
        const { mcp_config, gateway_rules, settings } = reloads.status
        return {
          files: [
            ...toFiles('mcp', config, mcp_config),
            ...toFiles('rules', config, gateway_rules),
            ...toFiles('settings', config, settings),
          ],
          warnings: otherWarnings(config.warnings, config).map(hide),
          untrusted: sources
            .folders()
            .flatMap((folder) => folder.config.leftOut)
            .map(({ path, message, command }) => ({ path, message, command })),
          history: reloads.history.map(cleanReload),
          settings: describeSettings(config.settings),
        }
      },
    }),
    defineRoute('GET /config/untrusted', {
      role: 'viewer',
      query: z.object({ path: z.string() }),
      async answer({ query: { path = '' } }) {
        const { place, kind } = mustBeUntrusted(sources, path)
        const [{ trustedText }, { diffOf }] = await Promise.all([
          import('../../config/history/trusted-text.ts'),
          import('../../config/history/describe-version.ts'),
        ])
        const text = textOf(path)
        return {
          does: describeContent(kind, text),
          diff: diffOf(path, (await trustedText(place, path)) ?? '', text),
          digest: hashOf(text),
        }
      },
    }),
    defineRoute('POST /config/trust', {
      role: 'admin',
      body: z.object({ path: z.string(), digest: z.string() }),
      async answer({ visitor, body: { path = '', digest } }) {
        const { folder, place } = mustBeUntrusted(sources, path)
        const [{ overtaken }, { recordChanges }, { recordTrust }] = await Promise.all([
          import('../../config/history/change-file.ts'),
          import('../../config/history/record-changes.ts'),
          import('../../config/trust/record-trust.ts'),
        ])
        const info = { by: authorOf(visitor), reason: `trust ${path}` }
        await recordChanges(place, info, () => {
          const text = textOf(path)
          if (hashOf(text) !== digest) throw overtaken(path)
          recordTrust(place, [{ path, text }], 'trusted')
        })
        recordChange(sources, visitor, 'config.trust', { file: path, sha256: digest })
        await folder.reload()
        return { trusted: path }
      },
    }),
    defineRoute('POST /config/reload', {
      role: 'admin',
      async answer({ visitor }) {
        await sources.reload()
        const [reload] = sources.reloads.history
        if (!reload)
          throw new HttpError(409, 'NOTHING_TO_RELOAD', 'This gateway was not started from files')
        recordChange(sources, visitor, 'config.reload', { outcome: reload.outcome })
        return { reload: cleanReload(reload) }
      },
    }),
  ]
}

/** Finds a file among those that are left out in open folders: no other file is read or trusted. */
function mustBeUntrusted(sources: Sources, path: string) {
  for (const folder of sources.folders()) {
    const file = folder.config.leftOut.find((each) => each.path === path)
    if (file) return { folder, place: mustBeInFiles(folder), kind: file.kind }
  }
  throw new HttpError(404, 'NOT_FOUND', `No open folder has the untrusted file ${path}`)
}

/** The files of one kind, highest precedence first; they are read together and share a history. */
function toFiles(kind: ConfigFile['kind'], config: Config, status: FileStatus): ConfigFile[] {
  const { files, leftOut } = config
  const history = {
    kind,
    lastAttempt: status.last_attempt,
    lastSuccess: status.last_success,
    lastError: status.last_error === null ? null : hide(status.last_error),
    attempts: status.attempt_count,
    successes: status.success_count,
    warnings: otherWarnings(status.last_warnings, config).map(hide),
  }
  const found = files[kind].toReversed()
  if (found.length === 0) return [{ ...history, path: null, level: null, changes: null }]
  const changesOf = (path: string) => leftOut.find((file) => file.path === path)?.changes ?? null
  return found.map(({ path, level }) => ({ ...history, path, level, changes: changesOf(path) }))
}

/** Leaves out warnings about untrusted files, which the page shows with what they say. */
function otherWarnings(warnings: readonly string[], { leftOut }: Config): string[] {
  const known = new Set(leftOut.map(describeLeftOut))
  return warnings.filter((warning) => !known.has(warning))
}

/** Hides secrets, because messages may quote the content of a file. */
export function cleanReload(reload: Reload): Reload {
  return {
    ...reload,
    problems: reload.problems.map(hide),
    warnings: reload.warnings.map(hide),
  }
}

/** Every setting in effect, in the order of the reference. */
function describeSettings(settings: Settings): Setting[] {
  const defaults = settingsSchema.parse({})
  return leaves(settingsSchema).map(({ path, schema }) => {
    const value = valueAt(settings, path)
    return {
      path: path.join('.'),
      value: hideFields(value ?? null, path.at(-1)),
      isDefault: isSame(value, valueAt(defaults, path)),
      description: z.globalRegistry.get(schema)?.description ?? null,
    }
  })
}

function valueAt(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), settings)
}

/** A default that begins at the home folder is written with `~` in the schema. */
function isSame(value: unknown, fallback: unknown): boolean {
  if (typeof value === 'string' && typeof fallback === 'string' && fallback.startsWith('~/'))
    return value.endsWith(fallback.slice(1))
  return isDeepStrictEqual(value, fallback)
}
