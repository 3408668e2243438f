import type { ApiConfigInput } from './api-config.ts'
import {
  type OpenApiDeps,
  type OpenApiService,
  createOpenApiService,
} from '../create-openapi-service.ts'
import { loadPack, packFolders, packNames } from './load-pack.ts'
import { isUrl } from '../spec/read-spec.ts'
import { SpecError } from '../spec/spec-error.ts'

export interface LoadApiOptions extends Omit<OpenApiDeps, 'extension'> {
  /** Overrides what the pack or the description says. */
  readonly config?: Partial<ApiConfigInput>
}

/** Loads an API by the name of a pack, or by the file or URL of a description. */
export async function loadApi(
  nameOrSpec: string,
  { config = {}, ...deps }: LoadApiOptions = {},
): Promise<OpenApiService> {
  const folders = packFolders(deps.home)
  const pack = await loadPack(nameOrSpec, folders)
  if (pack) {
    const { openapi: _, ...overrides } = config
    return createOpenApiService(
      { ...pack.config, ...overrides, tools: { ...pack.config.tools, ...config.tools } },
      { ...deps, extension: pack.extension },
    )
  }
  if (!isUrl(nameOrSpec) && !/[./\\]/.test(nameOrSpec)) {
    const known = (await packNames(folders)).join(', ') || 'none'
    throw new SpecError(
      `There is no API pack "${nameOrSpec}".`,
      `Known packs: ${known}; or give the file or URL of an OpenAPI description.`,
    )
  }
  return createOpenApiService({ ...config, openapi: nameOrSpec }, deps)
}
