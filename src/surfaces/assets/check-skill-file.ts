import type { Upstream } from '../../gateway/upstream.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { digestOf, frontmatterOf } from '../../protocol/skills.ts'
import { type JsonObject, canonicalJson, isObject } from '../../base/json/json.ts'
import { type SkillFile, skillFile } from './skills.ts'

/**
 * Passes on a file of a skill only if it matches its server's description. A skill tells an agent
 * what to do, so a file that was exchanged after somebody approved the skill must not reach it.
 */
export async function checkSkillFile(
  result: JsonObject,
  uri: string,
  upstream: Upstream,
): Promise<JsonObject> {
  const listed = skillFile(upstream, uri)
  if (!listed || (await problemWith(result, listed)) === undefined) return result
  // The skill may be newer than its listing.
  await upstream.list({ again: true }).catch(() => undefined)
  const current = skillFile(upstream, uri)
  const problem = current && (await problemWith(result, current))
  if (problem === undefined) return result
  throw new RpcError(
    RPC.internalError,
    `The server '${upstream.name}' gave a file of a skill that is not the one it describes (${problem}), so it is not passed on: ${uri}. Ask whoever runs the server.`,
    { uri, problem },
  )
}

async function problemWith(
  result: JsonObject,
  { skill, file }: SkillFile,
): Promise<string | undefined> {
  const content = contentOf(result)
  if (!content) return 'it has no content'
  if (content.bytes.length !== file['size']) return 'its size differs'
  if (digestOf(content.bytes) !== file['digest']) return 'its digest differs'
  if (file['uri'] !== skill['uri']) return undefined
  const { text } = content
  const found = text === undefined ? undefined : await parseFrontmatter(text)
  const same = found && canonicalJson(found) === canonicalJson(skill['frontmatter'])
  return same ? undefined : 'its frontmatter differs'
}

function contentOf({ contents }: JsonObject): { bytes: Buffer; text?: string } | undefined {
  const [content]: unknown[] = Array.isArray(contents) ? contents : []
  const { text, blob } = isObject(content) ? content : {}
  if (typeof text === 'string') return { bytes: Buffer.from(text), text }
  return typeof blob === 'string' ? { bytes: Buffer.from(blob, 'base64') } : undefined
}

async function parseFrontmatter(text: string): Promise<JsonObject | undefined> {
  const written = frontmatterOf(text)
  if (written === undefined) return undefined
  const { parse } = await import('yaml')
  try {
    const value: unknown = parse(written)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
