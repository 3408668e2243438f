import { readFile, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../../../base/json/json.ts'
import { packageFile } from '../../../base/files/package-files.ts'
import type { Environment } from '../../../base/environment.ts'
import { type ApiConfigInput, apiConfig } from './api-config.ts'
import type { ApiExtension } from '../extension.ts'
import { isUrl } from '../spec/read-spec.ts'
import { SpecError } from '../spec/spec-error.ts'

/** The folder of the packs that ship with the product. */
export const BUILT_IN_PACKS = packageFile('apis')

export interface Pack {
  readonly config: ApiConfigInput
  readonly extension: ApiExtension | undefined
}

/** Extensions that ship with the product; any other pack may name a JavaScript file instead. */
const EXTENSIONS: Readonly<Record<string, () => Promise<ApiExtension>>> = {
  nsip: async () => (await import('../extensions/nsip/nsip.ts')).nsip,
}

/** Returns the folders to search for packs: the project, the data folder, then those that ship. */
export function packFolders(home: string | undefined): string[] {
  return [
    join(process.cwd(), 'apis'),
    ...(home === undefined ? [] : [join(home, 'apis')]),
    BUILT_IN_PACKS,
  ]
}

/** Reads `<folder>/<name>/pack.yaml`; `undefined` when no folder has such a pack. */
export async function loadPack(
  name: string,
  folders: readonly string[],
): Promise<Pack | undefined> {
  if (!/^[\w-]+$/.test(name)) return undefined
  for (const folder of folders) {
    const file = join(folder, name, 'pack.yaml')
    const content = await readFile(file, 'utf8').catch(() => undefined)
    if (content !== undefined) return parsePack(content, file)
  }
  return undefined
}

export async function packNames(folders: readonly string[]): Promise<string[]> {
  const listed = await Promise.all(
    folders.map(async (folder) => readdir(folder, { withFileTypes: true }).catch(() => [])),
  )
  const names = listed.flat().filter((entry) => entry.isDirectory())
  return [...new Set(names.map((entry) => entry.name))].toSorted()
}

async function parsePack(content: string, file: string): Promise<Pack> {
  const { parse } = await import('yaml')
  const raw = expandVariables(parse(content), process.env)
  const parsed = apiConfig.safeParse(raw)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new SpecError(`The pack ${file} is wrong: ${problems.join('; ')}.`, 'Fix these settings.')
  }
  const { openapi, extension } = parsed.data
  const config = {
    ...parsed.data,
    openapi: isUrl(openapi) ? openapi : resolve(dirname(file), openapi),
  }
  return { config, extension: extension ? await loadExtension(extension, file) : undefined }
}

async function loadExtension(name: string, file: string): Promise<ApiExtension> {
  const builtIn = EXTENSIONS[name]
  if (builtIn) return builtIn()
  const url = pathToFileURL(resolve(dirname(file), name)).href
  const module: unknown = await import(url).catch((error: unknown) => {
    throw new SpecError(`The extension ${name} of ${file} cannot be loaded.`, 'Check its path.', {
      cause: error,
    })
  })
  const exported: unknown = isObject(module) ? module['default'] : undefined
  if (isExtension(exported)) return exported
  throw new SpecError(`${name} exports no extension.`, 'Export an ApiExtension as default.')
}

function isExtension(value: unknown): value is ApiExtension {
  return isObject(value)
}

/** Replaces `${NAME}` and `${NAME:-default}` in all strings of a pack, the only way for secrets. */
function expandVariables(value: unknown, env: Environment): unknown {
  if (typeof value === 'string') return expand(value, env)
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, env))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, expandVariables(each, env)]),
  )
}

function expand(text: string, env: Environment): string {
  return text.replaceAll(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name: string, fallback: string | undefined) => {
      const value = env[name] || fallback
      if (value !== undefined) return value
      throw new SpecError(`The environment variable ${name} is not set.`, `Set ${name} first.`)
    },
  )
}
