import { createHash } from 'node:crypto'
import { type JsonObject, isObject } from '../base/json/json.ts'

/** The extension for skills: folders of instructions with a `SKILL.md` at their root. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'
export const DIRECTORY_TYPE = 'inode/directory'

const DIGEST = /^sha256:[\da-f]{64}$/

/** Returns what a server declared for the extension; undefined if it does not have it. */
export function skillsOf({ extensions }: JsonObject): JsonObject | undefined {
  const declared = isObject(extensions) ? extensions[SKILLS_EXTENSION] : undefined
  return isObject(declared) ? declared : undefined
}

/** Whether an entry has all that a host needs to load the skill and to check its files. */
export function isSkill(entry: JsonObject): boolean {
  const { uri, frontmatter, resources } = entry
  if (typeof uri !== 'string' || !isObject(frontmatter)) return false
  const { name, description } = frontmatter
  if (typeof name !== 'string' || name === '' || typeof description !== 'string') return false
  return resources === 'dynamic' || isComplete(uri, resources)
}

/** Returns the files of a skill, each with its digest; empty if its files are made on demand. */
export function filesOf({ resources }: JsonObject): readonly JsonObject[] {
  return Array.isArray(resources) ? resources.filter(isObject) : []
}

function isComplete(uri: string, resources: unknown): boolean {
  if (!Array.isArray(resources)) return false
  const uris = new Set<unknown>()
  for (const file of resources) {
    if (!isObject(file) || typeof file['uri'] !== 'string') return false
    if (typeof file['digest'] !== 'string' || !DIGEST.test(file['digest'])) return false
    if (!Number.isInteger(file['size'])) return false
    uris.add(file['uri'])
  }
  return uris.has(uri) && uris.size === resources.length
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** Returns the YAML between the first two `---` lines; undefined if it is missing or too long. */
export function frontmatterOf(text: string): string | undefined {
  return /^\uFEFF?---\r?\n([\s\S]{0,65536}?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1]
}
