import { createHash } from 'node:crypto'
import type { ApiConfig } from './api-config.ts'
import type { ImportedApi } from '../tools/api-tool.ts'
import { bundleRefs, externalRefs } from '../spec/bundle-refs.ts'
import { importApi } from '../tools/import-api.ts'
import { ImportCache } from './import-cache.ts'
import { readDescription } from '../spec/read-description.ts'
import type { SecurityScheme } from '../spec/operation.ts'
import { parseSpec, readSpec } from '../spec/read-spec.ts'
import { SpecError } from '../spec/spec-error.ts'

export interface ImportSettings {
  /** The data folder (PORTOLAN_HOME) that keeps imported APIs; nothing is stored without it. */
  readonly home: string | undefined
  readonly nameLimit?: number | undefined
  /** The hash that the text of the description must have; undefined for any. */
  readonly sha256?: string | undefined
}

/** Reads, imports and remembers a description; an unchanged one comes from the disk cache. */
export async function loadImportedApi(
  config: ApiConfig,
  { home, nameLimit, sha256 }: ImportSettings,
): Promise<ImportedApi> {
  const content = await readSpec(config.openapi, config.allowPrivate)
  if (sha256 !== undefined) mustBeTrusted(content, config, sha256)
  // With external references, neighbouring files may change while this one stays the same.
  if (home === undefined || config.externalRefs) return importText(content, config, nameLimit)
  const cache = new ImportCache(home)
  const { include, exclude, rename, readOnly, tools } = config
  const filled = filledByAuth(config, {})
  const key = cache.key(content, { include, exclude, rename, readOnly, tools, nameLimit, filled })
  const known = await cache.get(key)
  if (known) return known
  const imported = await importText(content, config, nameLimit)
  await cache.set(key, imported)
  return imported
}

/** Refuses a description that decides where keys are sent, unless a person has trusted its text. */
function mustBeTrusted(content: string, config: ApiConfig, sha256: string): void {
  const { openapi } = config
  if (createHash('sha256').update(content).digest('hex') !== sha256)
    throw new SpecError(
      `${openapi} has changed since it was trusted.`,
      'Read it, then run `portolan trust` in the folder whose .mcp.json names it.',
    )
  if (config.externalRefs)
    throw new SpecError(
      `${openapi} refers to other files, which nobody has trusted.`,
      'Bundle the description into one file and leave out externalRefs, or name it in mcp.json of the data folder.',
    )
}

async function importText(
  content: string,
  config: ApiConfig,
  nameLimit: number | undefined,
): Promise<ImportedApi> {
  const { openapi: source, allowPrivate, externalRefs: follow } = config
  const parsed = await parseSpec(content, source)
  const root = follow ? await bundleRefs(parsed, source, allowPrivate) : parsed
  const description = readDescription(root, source)
  const { include, exclude, rename, readOnly, tools } = config
  const imported = await importApi(description, {
    include,
    exclude,
    rename,
    readOnly,
    tools,
    nameLimit,
    filledByAuth: filledByAuth(config, description.security),
  })
  return follow ? imported : withUnfollowed(imported, externalRefs(root))
}

/** Returns the parameters that the configured key fills: the agent must not be asked for them. */
function filledByAuth(
  { auth }: ApiConfig,
  schemes: Readonly<Record<string, SecurityScheme>>,
): string[] {
  if (auth?.type !== 'apiKey') return []
  const declared = Object.values(schemes).flatMap((scheme) =>
    scheme.type === 'apiKey' ? [scheme.name] : [],
  )
  return [auth.name ?? 'as declared', ...declared]
}

function withUnfollowed(api: ImportedApi, refs: readonly string[]): ImportedApi {
  if (refs.length === 0) return api
  const unfollowed = refs.map((ref) => ({
    where: ref,
    why: 'an external reference; it is followed only with externalRefs: true',
  }))
  return { ...api, report: { ...api.report, dropped: [...api.report.dropped, ...unfollowed] } }
}
