import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../../../base/errors.ts'
import { parseExact } from '../../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { HttpClient } from '../http/http-client.ts'
import { parseYaml } from './parse-yaml.ts'
import { SpecError } from './spec-error.ts'

const MAX_SPEC_BYTES = 64_000_000
const FETCH_TIMEOUT_MS = 30_000

export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

/** Reads the text of a description, from a file or from a URL. */
export async function readSpec(source: string, allowPrivate: boolean): Promise<string> {
  return isUrl(source) ? fetchSpec(new URL(source), allowPrivate) : readSpecFile(source)
}

/** Returns the path of a description, which may be given as a file URL. */
export function specPath(source: string): string {
  return source.startsWith('file:') ? fileURLToPath(source) : resolve(source)
}

async function readSpecFile(source: string): Promise<string> {
  const path = specPath(source)
  try {
    const { size } = await stat(path)
    if (size > MAX_SPEC_BYTES) throw tooLarge(source)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof SpecError) throw error
    throw new SpecError(`Cannot read the API description ${source}.`, 'Check its path.', {
      cause: error,
    })
  }
}

async function fetchSpec(url: URL, allowPrivate: boolean): Promise<string> {
  const options = { origins: [url.origin], allowPrivate, maxResponseBytes: MAX_SPEC_BYTES }
  const client = new HttpClient(options)
  try {
    const { status, body } = await client.send({
      method: 'get',
      url,
      headers: { accept: 'application/json, application/yaml, text/yaml, */*' },
      timeoutMs: FETCH_TIMEOUT_MS,
      signal: new AbortController().signal,
    })
    if (status !== 200) throw new Error(`HTTP status ${status}`)
    return new TextDecoder().decode(body)
  } catch (error) {
    const reason = messageOf(error)
    throw new SpecError(
      `Cannot fetch the API description from ${url.origin}${url.pathname}: ${reason}.`,
      'Check the URL, or download it and give the file.',
      { cause: error },
    )
  } finally {
    await client.close()
  }
}

/** Parses JSON or YAML; fails on anything else with what was found instead. */
export async function parseSpec(content: string, source: string): Promise<JsonObject> {
  const start = content.trimStart().slice(0, 200)
  if (/^<(!doctype|html|\?xml)/i.test(start)) {
    throw new SpecError(
      `${source} is a web page, not an API description.`,
      'Find its JSON or YAML.',
    )
  }
  const parsed = await parse(content, start.startsWith('{')).catch((error: unknown) => {
    throw broken(source, error)
  })
  if (isObject(parsed)) return parsed
  throw new SpecError(`${source} is not an API description.`, 'It must be a JSON or YAML object.')
}

async function parse(content: string, isJson: boolean): Promise<unknown> {
  return isJson ? parseExact(content, Infinity) : parseYaml(content)
}

function broken(source: string, error: unknown): SpecError {
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
  return new SpecError(`${source} is broken: ${reason}.`, 'Fix the file and try again.', {
    cause: error,
  })
}

function tooLarge(source: string): SpecError {
  return new SpecError(`${source} is larger than ${MAX_SPEC_BYTES / 1e6} MB.`, 'Split it.')
}
