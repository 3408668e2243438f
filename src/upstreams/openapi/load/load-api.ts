import type { ApiConfigInput } from './api-config.ts'
import {
  type OpenApiDeps,
  type OpenApiService,
  createOpenApiService,
} from '../create-openapi-service.ts'
import { type PackSources, loadPack, packNames } from './load-pack.ts'
import { isUrl } from '../spec/read-spec.ts'
import { SpecError } from '../spec/spec-error.ts'

export interface LoadApiOptions extends Omit<OpenApiDeps, 'extension'> {
  /** Overrides what the pack or the description says. */
  readonly config?: Partial<ApiConfigInput>
  readonly folder?: PackSources['folder']
  readonly env?: PackSources['env']
}

/** Loads an API by the name of a pack, or by the file or URL of a description. */
export async function loadApi(
  nameOrSpec: string,
  { config = {}, folder, env, ...deps }: LoadApiOptions = {},
): Promise<OpenApiService> {
  const packs = { home: deps.home, folder, env }
  const pack = await loadPack(nameOrSpec, packs)
  if (pack) {
    const { openapi: _, ...overrides } = config
    return createOpenApiService(
      { ...pack.config, ...overrides, tools: { ...pack.config.tools, ...config.tools } },
      { ...deps, extension: pack.extension },
    )
  }
  if (!isUrl(nameOrSpec) && !/[./\\]/.test(nameOrSpec)) {
    const known = (await packNames(packs)).join(', ') || 'none'
    throw new SpecError(
      `There is no API pack "${nameOrSpec}".`,
      `Known packs: ${known}; or give the file or URL of an OpenAPI description.`,
    )
  }
  return createOpenApiService({ ...config, openapi: nameOrSpec }, deps)
}
