import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { messageOf } from '../../base/errors.ts'
import type { Problem } from '../problem.ts'

/** What one file gave: its value, or why it has none. */
export interface Part<Value> {
  /** The file, or how a stored one is called. */
  readonly path: string | undefined
  /** Which pushed version it comes from; undefined for a file. */
  readonly version?: number | undefined
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

interface Interpreted<Value> {
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  readonly warnings?: readonly string[]
}

/** Where the text of a part is: in a file, or in a pushed version that has it already at hand. */
export interface PartSource {
  readonly path: string | undefined
  readonly version?: number | undefined
  readonly text?: string | undefined
}

/** Reads one file; `interpret` is given undefined when there is none. */
export function loadPart<Value>(
  source: PartSource,
  parse: (text: string) => unknown,
  interpret: (content: unknown, file: string) => Interpreted<Value>,
): Part<Value> {
  const { path, version } = source
  const origin = { path, ...(version !== undefined && { version }), warnings: [] }
  if (path === undefined) return { ...origin, ...interpret(undefined, 'settings') }
  let content: unknown
  try {
    const text = source.text ?? readFileSync(path, 'utf8')
    content = parse(text.replace(/^\uFEFF/, '')) ?? null
  } catch (error) {
    return { ...origin, value: undefined, problems: [unreadable(path, error)] }
  }
  return { ...origin, ...interpret(content, path) }
}

class ParseError extends Error {
  override readonly name = 'ParseError'
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const said = messageOf(cause)
    const offset = /position (\d+)/.exec(said)?.[1]
    const place = offset === undefined ? 'at its end' : `at ${lineAndColumn(text, Number(offset))}`
    throw new ParseError(`is not valid JSON: ${said} (${place})`, { cause })
  }
}

/** Loaded when there is a file to read: most people have none, and the parser costs 40 ms. */
export function parseYaml(text: string): unknown {
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  try {
    return yaml.parse(text)
  } catch (cause) {
    // Below its first line the message draws the place in the file.
    const [said = ''] = messageOf(cause).split('\n')
    throw new ParseError(`is not valid YAML: ${said.replace(/:$/, '')}`, { cause })
  }
}

function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

function unreadable(file: string, error: unknown): Problem {
  if (error instanceof ParseError) return { file, path: '', message: error.message }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return { file, path: '', message: 'file not found' }
  const said = messageOf(error)
  return { file, path: '', message: `cannot be read: ${said}` }
}
