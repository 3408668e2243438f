import { readFile, readdir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../../../base/json/json.ts'
import { messageOf } from '../../../base/errors.ts'
import { FROM_SOURCE, packageFile } from '../../../base/files/package-files.ts'
import { shellWord } from '../../../base/text/shell-word.ts'
import type { Environment } from '../../../base/environment.ts'
import { type ApiConfigInput, apiConfig } from './api-config.ts'
import type { ApiExtension } from '../extension.ts'
import { type FolderPack, PACK_FILE, type PackFolder, readFolderPack } from './folder-packs.ts'
import { isUrl } from '../spec/read-spec.ts'
import { SpecError } from '../spec/spec-error.ts'

/** The folder of the packs that ship with the product; the build copies them, with their code. */
export const BUILT_IN_PACKS = packageFile(FROM_SOURCE ? 'packs' : 'dist/packs')

export interface Pack {
  readonly config: ApiConfigInput
  readonly extension: ApiExtension | undefined
}

export interface PackSources {
  /** The data folder. */
  readonly home: string | undefined
  /** The working folder; without it, only packs that ship and those of the data folder are used. */
  readonly folder?: PackFolder | undefined
  /** Fills the variables of a pack; by default the environment of this process. */
  readonly env?: Environment | undefined
}

/** Returns the folders whose packs a person has installed. */
function ownFolders(home: string | undefined): string[] {
  return [...(home === undefined ? [] : [join(home, 'apis')]), BUILT_IN_PACKS]
}

/**
 * Loads a pack by its name; `undefined` when there is none. A pack of the working folder never takes
 * the place of another, and nothing of it is used before a person has trusted its files.
 */
export async function loadPack(
  name: string,
  { home, folder, env = process.env }: PackSources,
): Promise<Pack | undefined> {
  if (!/^[\w-]+$/.test(name)) return undefined
  for (const own of ownFolders(home)) {
    const file = join(own, name, PACK_FILE)
    const content = await readFile(file, 'utf8').catch(() => undefined)
    if (content !== undefined) return parsePack({ content, file, env })
  }
  const found = folder && (await readFolderPack(folder.path, name))
  if (!folder || !found) return undefined
  if (!folder.trusts(found.path, found.text)) throw notTrusted(found, folder)
  return parsePack({ content: found.rules, file: join(found.path, PACK_FILE), env, trusted: found })
}

function notTrusted({ path }: FolderPack, folder: PackFolder): SpecError {
  return new SpecError(
    `The pack ${path} is not trusted with its present files, so nothing of it is used.`,
    `Read its files, then run: portolan trust ${shellWord(folder.path)}`,
  )
}

export async function packNames({ home, folder }: PackSources): Promise<string[]> {
  const folders = [...ownFolders(home), ...(folder ? [join(folder.path, 'apis')] : [])]
  const listed = await Promise.all(
    folders.map(async (each) => readdir(each, { withFileTypes: true }).catch(() => [])),
  )
  const names = listed.flat().filter((entry) => entry.isDirectory())
  return [...new Set(names.map((entry) => entry.name))].toSorted()
}

interface PackText {
  readonly content: string
  readonly file: string
  readonly env: Environment
  /** Set for a pack of the working folder, which may use only the files that were trusted. */
  readonly trusted?: FolderPack
}

async function parsePack({ content, file, env, trusted }: PackText): Promise<Pack> {
  const { parse } = await import('yaml')
  const raw = expandVariables(parse(content), env)
  const parsed = apiConfig.safeParse(raw)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new SpecError(`The pack ${file} is wrong: ${problems.join('; ')}.`, 'Fix these settings.')
  }
  const { openapi, extension } = parsed.data
  const pathOf = (named: string) => {
    const path = resolve(dirname(file), named)
    if (!trusted || path.startsWith(`${trusted.path}${sep}`)) return path
    throw new SpecError(`The pack ${file} names ${named}, outside its folder.`, 'Move it there.')
  }
  const config = {
    ...parsed.data,
    openapi: isUrl(openapi) ? openapi : pathOf(openapi),
  }
  return { config, extension: extension ? await loadExtension(extension, file, pathOf) : undefined }
}

async function loadExtension(
  name: string,
  file: string,
  pathOf: (named: string) => string,
): Promise<ApiExtension> {
  const url = pathToFileURL(pathOf(name)).href
  const module: unknown = await import(url).catch((error: unknown) => {
    const why = messageOf(error)
    throw new SpecError(
      `The extension ${name} of ${file} cannot be loaded: ${why}.`,
      'Correct it.',
      {
        cause: error,
      },
    )
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
